import { describe, expect, it } from "vitest";
import { LaneStage, refusalOf } from "./lane-stage.js";
import { GWEI, OWNER, SENDER } from "./lane-world.js";
import { MemoryLaneStore } from "./memory-lane-store.js";

const stage = new LaneStage();

describe("an RPC that fails", () => {
  it("before anything is sent leads to a refused job", async () => {
    const life = stage.live();
    stage.world.faults = { isDead: () => true };
    life.lanes.submit(stage.world.job("a"));
    await stage.world.run(5000);
    expect(life.outcome("a")).toMatchObject({ kind: "refused", reason: { kind: "unavailable" } });
  });

  it("while sending may have accepted the transaction, which the next polls find out", async () => {
    const life = stage.live(undefined, { confirmations: 1 });
    stage.world.faults = { losesAnswer: (method) => method === "eth_sendRawTransaction" };
    life.lanes.submit(stage.world.job("a"));
    await stage.world.run(300);
    expect(life.told("a")).toEqual(["simulated", "sent", "not-taken"]);
    expect(life.of("not-taken")[0]?.why).toBe("unknown");
    await stage.world.block();
    expect(life.outcome("a")?.kind).toBe("mined");
    expect([await stage.world.timesDone("a"), await stage.world.count()]).toEqual([1, 1]);
  });

  it("and did not accept the transaction gets it again", async () => {
    const life = stage.live(undefined, { confirmations: 1 });
    stage.world.faults = { isDead: (method) => method === "eth_sendRawTransaction" };
    life.lanes.submit(stage.world.job("a"));
    await stage.world.block();
    expect(await stage.world.count()).toBe(0);
    stage.world.faults = {};
    await stage.world.block();
    await stage.world.block();
    expect(life.outcome("a")?.kind).toBe("mined");
  });

  it.each([
    ["insufficient funds for gas * price + value", "insufficient-funds"],
    ["transaction underpriced", "fee-too-low"],
    ["txpool is full", "pool-full"],
  ])(
    "and says %j is told once, and the nonce ends in a cancel at the deadline",
    async (text, why) => {
      const life = stage.live(undefined, { confirmations: 1 });
      stage.world.faults = {
        refuses: (method) => (method === "eth_sendRawTransaction" ? text : undefined),
      };
      life.lanes.submit(stage.world.job("a", { deadlineMs: stage.world.clock.nowMs() + 6000 }));
      await stage.world.run(5000);
      expect(life.told("a")).toEqual(["simulated", "sent", "not-taken"]);
      expect(life.of("not-taken")[0]?.why).toBe(why);
      await stage.world.run(2000);
      stage.world.faults = {};
      await stage.world.run(2000);
      await stage.world.block();
      expect(life.outcome("a")?.kind).toBe("cancelled");
      expect(await stage.world.count()).toBe(1);
    },
  );

  it("may know the used nonce before the receipt: the manager waits", async () => {
    const life = stage.live(undefined, { confirmations: 3 });
    life.lanes.submit(stage.world.job("a"));
    await stage.world.run(300);
    stage.world.faults = {
      tampers: (method, result) => (method === "eth_getTransactionReceipt" ? null : result),
    };
    await stage.world.block();
    await stage.world.run(5000);
    await stage.world.block();
    expect(life.told("a")).toEqual(["simulated", "sent"]);
    stage.world.faults = {};
    for (let i = 0; i < 3; i += 1) await stage.world.block();
    expect(life.outcome("a")?.kind).toBe("mined");
  });

  it("is not trusted with a receipt of a block that is not part of the chain", async () => {
    const life = stage.live(undefined, { confirmations: 1 });
    life.lanes.submit(stage.world.job("a"));
    await stage.world.run(300);
    const elsewhere = (result: unknown) =>
      result === null ? null : { ...(result as object), blockHash: `0x${"ab".repeat(32)}` };
    stage.world.faults = {
      tampers: (method, result) =>
        method === "eth_getTransactionReceipt" ? elsewhere(result) : result,
    };
    await stage.world.block();
    await stage.world.block();
    expect(life.told("a")).toEqual(["simulated", "sent"]);
    stage.world.faults = {};
    await stage.world.run(1000);
    expect(life.outcome("a")?.kind).toBe("mined");
  });

  it("is reported as trouble while something is in flight, until it responds again", async () => {
    const life = stage.live(undefined, { confirmations: 1 });
    life.lanes.submit(stage.world.job("a"));
    await stage.world.run(1000);
    stage.world.faults = { isDead: () => true };
    await stage.world.mine();
    await stage.world.run(3000);
    expect(life.of("trouble").length).toBeGreaterThan(0);
    stage.world.faults = {};
    await stage.world.run(40_000);
    expect(life.outcome("a")?.kind).toBe("mined");
  });
});

describe("a reorganisation", () => {
  it.each([1, 2, 3])(
    "of depth %d takes a mined transaction out of its block, and it is mined again",
    async (depth) => {
      const life = stage.live(undefined, { confirmations: 5 });
      await stage.world.mine(3);
      life.lanes.submit(stage.world.job("a"));
      await stage.world.run(1000);
      for (let i = 0; i < depth; i += 1) await stage.world.block();
      expect(life.told("a")).toEqual(["simulated", "sent", "mined"]);
      await stage.world.reorg(depth, "lost");
      await stage.world.run(3000);
      expect(life.told("a")).toEqual(["simulated", "sent", "mined", "unmined", "resent"]);
      expect(await stage.world.timesDone("a")).toBe(0);
      for (let i = 0; i < 6; i += 1) await stage.world.block();
      expect(life.outcome("a")?.kind).toBe("mined");
      expect([await stage.world.timesDone("a"), await stage.world.count()]).toEqual([1, 1]);
    },
  );

  it("whose branch has the transaction too puts it into another block", async () => {
    const life = stage.live(undefined, { confirmations: 4 });
    await stage.world.mine(2);
    life.lanes.submit(stage.world.job("a"));
    await stage.world.block();
    await stage.world.block();
    await stage.world.reorg(2);
    for (let i = 0; i < 4; i += 1) await stage.world.block();
    const [first, second] = life.of("mined");
    expect(first?.receipt.blockHash).not.toBe(second?.receipt.blockHash);
    expect(life.told("a")).toEqual(["simulated", "sent", "mined", "unmined", "mined", "final"]);
    expect(await stage.world.timesDone("a")).toBe(1);
  });

  it("after which the deadline is over ends in a cancel", async () => {
    const life = stage.live(undefined, { confirmations: 4 });
    await stage.world.mine(2);
    life.lanes.submit(stage.world.job("a", { deadlineMs: stage.world.clock.nowMs() + 4000 }));
    await stage.world.block();
    await stage.world.block();
    await stage.world.reorg(2, "lost");
    await stage.world.run(2000);
    for (let i = 0; i < 5; i += 1) await stage.world.block();
    expect(life.outcome("a")?.kind).toBe("cancelled");
    expect(await stage.world.timesDone("a")).toBe(0);
  });
});

describe("the same key elsewhere", () => {
  const elsewhere = () =>
    stage.world.chain.send({
      from: SENDER,
      to: OWNER.address,
      data: "0x",
      gas: 21_000,
      tipWei: 20n * GWEI,
    });

  it("is detected by the nonces that it uses, which are skipped", async () => {
    const life = stage.live(undefined, { confirmations: 1 });
    life.lanes.submit(stage.world.job("a"));
    await stage.world.block();
    await elsewhere();
    await elsewhere();
    await stage.world.block();
    life.lanes.submit(stage.world.job("b"));
    await stage.world.block();
    expect(life.of("foreign-nonces")).toMatchObject([{ from: 1, to: 2 }]);
    expect(life.outcome("b")).toMatchObject({ kind: "mined", nonce: 3 });
    expect(life.lanes.nonces().map(({ by }) => by)).toEqual(["job", "foreign", "foreign", "job"]);
  });

  it("that takes a job's nonce ends the job as foreign", async () => {
    const life = stage.live(undefined, { confirmations: 2 });
    stage.world.faults = { isDead: (method) => method === "eth_sendRawTransaction" };
    life.lanes.submit(stage.world.job("a"));
    await stage.world.run(500);
    await elsewhere();
    for (let i = 0; i < 4; i += 1) await stage.world.block();
    expect(life.outcome("a")).toEqual({ kind: "foreign", nonce: 0 });
    expect(life.lanes.nonces()).toMatchObject([
      { nonce: 0, by: "foreign", jobId: "a", state: "final" },
    ]);
    stage.world.faults = {};
    await stage.world.block();
    expect(await stage.world.timesDone("a")).toBe(0);
  });

  it("whose transaction vanished leaves a gap, which is filled", async () => {
    const life = stage.live(undefined, { confirmations: 1 });
    const hash = await elsewhere();
    life.lanes.submit(stage.world.job("a"));
    await stage.world.run(500);
    expect(life.of("sent")[0]?.attempt.nonce).toBe(1);
    await stage.world.chain.request("hardhat_dropTransaction", hash);
    for (let i = 0; i < 8; i += 1) await stage.world.block();
    expect(life.of("gap-filled")).toHaveLength(1);
    expect(life.outcome("a")).toMatchObject({ kind: "mined", nonce: 1 });
    expect(life.lanes.nonces()).toMatchObject([
      { nonce: 0, by: "fill" },
      { nonce: 1, by: "job" },
    ]);
  });
});

describe("a restart", () => {
  it("finds what was in flight, and knows what has ended", async () => {
    const store = new MemoryLaneStore();
    const before = stage.live(store);
    before.lanes.submit(stage.world.job("done"));
    for (let i = 0; i < 3; i += 1) await stage.world.block();
    before.lanes.submit(stage.world.job("open"));
    await stage.world.run(1000);
    before.kill();
    const after = stage.live(store);
    expect(after.lanes.jobs()).toMatchObject([
      { jobId: "done", state: "final", outcome: { kind: "mined" } },
      { jobId: "open", state: "pending", job: { lane: "open" } },
    ]);
    expect(refusalOf(() => after.lanes.submit(stage.world.job("done")))).toBe("known");
    expect(refusalOf(() => after.lanes.submit(stage.world.job("open")))).toBe("known");
    expect(refusalOf(() => after.lanes.submit(stage.world.job("other", { lane: "open" })))).toBe(
      "busy",
    );
    for (let i = 0; i < 3; i += 1) await stage.world.block();
    expect(after.told("open")).toEqual(["mined", "final"]);
    expect(await stage.world.timesDone("open")).toBe(1);
  });
});

describe("a store that fails", () => {
  it("prevents sending the transaction, and everything after it", async () => {
    const store = new MemoryLaneStore();
    store.append = () => {
      throw new Error("ENOSPC: no space left on device");
    };
    const life = stage.live(store);
    life.lanes.submit(stage.world.job("a"));
    await stage.world.run(500);
    expect(life.told("a")).toEqual(["simulated", "refused", "final"]);
    expect(life.outcome("a")).toMatchObject({ reason: { kind: "store" } });
    expect(life.of("fault")).toHaveLength(1);
    expect(refusalOf(() => life.lanes.submit(stage.world.job("b")))).toBe("fault");
    await stage.world.block();
    expect(await stage.world.count()).toBe(0);
  });
});
