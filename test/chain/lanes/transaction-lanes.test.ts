import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LaneRefusal } from "../../../src/chain/lanes/lane-refusal.js";
import { MemoryLaneStore } from "../../../src/chain/lanes/lane-store.js";
import { GWEI, LaneLife, LaneWorld, OWNER, SENDER } from "./lane-world.js";

let world: LaneWorld;
const lives: LaneLife[] = [];
beforeAll(async () => {
  world = await LaneWorld.start();
});
beforeEach(() => world.reset());
afterEach(async () => {
  world.faults = {};
  const closing = Promise.all(lives.splice(0).map(async (life) => (life.isDead ? undefined : life.lanes.close())));
  await world.run(100);
  await closing;
});

function live(...args: ConstructorParameters<typeof LaneLife> extends [unknown, ...infer Rest] ? Rest : never): LaneLife {
  const life = new LaneLife(world, ...args);
  lives.push(life);
  return life;
}

const refusalOf = (attempt: () => void): string => {
  try {
    attempt();
  } catch (error) {
    if (error instanceof LaneRefusal) return error.why;
    throw error;
  }
  return "taken";
};

describe("a job", () => {
  it("is simulated, sent, mined, and final when its block is deep enough", async () => {
    const life = live();
    life.lanes.submit(world.job("one"));
    await world.run(1000);
    expect(life.told("one")).toEqual(["simulated", "sent"]);
    await world.block();
    expect(life.told("one")).toEqual(["simulated", "sent", "mined"]);
    await world.block();
    expect(life.outcome("one")).toBeUndefined();
    await world.block();
    const outcome = life.outcome("one");
    expect(outcome).toMatchObject({
      kind: "mined",
      nonce: 0,
      receipt: { isReverted: false, logs: [{ address: world.token.toLowerCase() }] },
    });
    expect(await world.timesDone("one")).toBe(1);
    if (outcome?.kind !== "mined") throw new Error("not mined");
    const { gasUsed, effectiveGasPriceWei, costWei, hash } = outcome.receipt;
    expect(costWei).toBe(gasUsed * effectiveGasPriceWei);
    expect(life.lanes.nonces()).toEqual([{ nonce: 0, by: "job", jobId: "one", hash, state: "final" }]);
  });

  it("that would revert is refused with the reason, and costs nothing", async () => {
    const life = live();
    life.lanes.submit(world.hopelessJob("rich"));
    await world.run(1000);
    expect(life.told("rich")).toEqual(["refused", "final"]);
    expect(life.outcome("rich")).toMatchObject({ kind: "refused", reason: { kind: "revert", revert: { kind: "custom-error" } } });
    expect(await world.count()).toBe(0);
  });

  it("that cannot pay the next block's base fee under its ceiling is refused with both", async () => {
    const life = live();
    life.lanes.submit(world.job("poor", { maxCostWei: 100_000n * 10n ** 8n }));
    await world.run(1000);
    const outcome = life.outcome("poor");
    expect(outcome).toMatchObject({ kind: "refused", reason: { kind: "too-costly", ceilingFeeWei: 10n ** 8n } });
    if (outcome?.kind === "refused" && outcome.reason.kind === "too-costly")
      expect(outcome.reason.neededFeeWei).toBeGreaterThan(outcome.reason.ceilingFeeWei);
  });

  it("that the account cannot pay beside what is in flight is refused, and takes no nonce", async () => {
    const life = live(undefined, { confirmations: 1 });
    await world.chain.request("hardhat_setBalance", SENDER.address, `0x${(2n * 10n ** 15n).toString(16)}`);
    life.lanes.submit(world.job("first", { tipWei: 10n * GWEI }));
    await world.run(500);
    life.lanes.submit(world.job("second", { tipWei: 10n * GWEI }));
    await world.run(500);
    const outcome = life.outcome("second");
    expect(outcome).toMatchObject({ kind: "refused", reason: { kind: "insufficient-funds", balanceWei: 2n * 10n ** 15n } });
    await world.block();
    expect(life.outcome("first")?.kind).toBe("mined");
    expect(await world.count()).toBe(1);
  });

  it("may leave its gas to the node's estimate", async () => {
    const life = live(undefined, { confirmations: 1 });
    life.lanes.submit(world.job("estimated", { gasLimit: "estimate" }));
    await world.block();
    expect(life.outcome("estimated")?.kind).toBe("mined");
    const gasLimit = life.of("sent")[0]?.attempt.gasLimit ?? 0n;
    expect(gasLimit).toBeGreaterThan(50_000n);
    expect(gasLimit).toBeLessThan(100_000n);
  });

  it("that somebody else was faster than reverts in its block: gas is paid, and the reason told", async () => {
    const life = live(undefined, { confirmations: 1 });
    await world.allowOwner();
    life.lanes.submit(world.job("late"));
    await world.run(500);
    await world.takeAll(20n * GWEI);
    await world.block();
    expect(life.told("late")).toEqual(["simulated", "sent", "reverted", "final"]);
    const outcome = life.outcome("late");
    expect(outcome).toMatchObject({ kind: "reverted", receipt: { isReverted: true, logs: [] }, revert: { kind: "custom-error" } });
    if (outcome?.kind === "reverted") expect(outcome.receipt.costWei).toBeGreaterThan(0n);
    expect(await world.timesDone("late")).toBe(0);
  });
});

describe("lanes", () => {
  it("take one job at a time each, and each id once", async () => {
    const life = live();
    life.lanes.submit(world.job("a", { lane: "x" }));
    expect(refusalOf(() => life.lanes.submit(world.job("b", { lane: "x" })))).toBe("busy");
    expect(refusalOf(() => life.lanes.submit(world.job("a", { lane: "y" })))).toBe("known");
    await world.block();
    expect(refusalOf(() => life.lanes.submit(world.job("b", { lane: "x" })))).toBe("busy");
    for (let i = 0; i < 3; i += 1) await world.block();
    expect(refusalOf(() => life.lanes.submit(world.job("a", { lane: "x" })))).toBe("known");
    expect(refusalOf(() => life.lanes.submit(world.job("b", { lane: "x" })))).toBe("taken");
    await world.run(500);
  });

  it("share the account's nonces without a gap, refused ones between", async () => {
    const life = live(undefined, { confirmations: 1 });
    for (const id of ["a", "b", "c", "d"]) life.lanes.submit(id === "b" ? world.hopelessJob(id) : world.job(id));
    await world.block();
    const nonces = life.of("mined").map((event) => event.nonce);
    expect([...nonces].sort()).toEqual([0, 1, 2]);
    expect(await world.count()).toBe(3);
    expect(life.outcome("b")?.kind).toBe("refused");
  });

  it("refuse a job with a wrong field, and every job when closed", async () => {
    const life = live();
    expect(refusalOf(() => life.lanes.submit(world.job("a", { to: "0x12" })))).toBe("invalid");
    expect(refusalOf(() => life.lanes.submit(world.job("a", { gasLimit: 20_999n })))).toBe("invalid");
    expect(refusalOf(() => life.lanes.submit(world.job("a", { maxCostWei: 0n })))).toBe("invalid");
    const closing = life.lanes.close();
    await world.rest();
    await closing;
    expect(refusalOf(() => life.lanes.submit(world.job("a")))).toBe("closed");
  });

  it("sleep while nothing is in flight and every end is too old to be undone", async () => {
    const life = live(undefined, { confirmations: 1, followBlocks: 2 });
    life.lanes.submit(world.job("a"));
    await world.block();
    expect(life.outcome("a")?.kind).toBe("mined");
    await world.block();
    await world.block();
    const { steps } = life;
    await world.run(20_000);
    expect(life.steps).toBe(steps);
  });
});

describe("a transaction that waits", () => {
  it("is replaced at the same nonce for more, until it is mined", async () => {
    const life = live(undefined, { confirmations: 1, headroomBlocks: 0 });
    life.lanes.submit(world.job("slow"));
    await world.run(500);
    await world.setBaseFee(5n * GWEI);
    await world.mine();
    for (let i = 0; i < 30 && life.outcome("slow") === undefined; i += 1) {
      await world.setBaseFee(5n * GWEI);
      await world.block();
    }
    expect(life.outcome("slow")).toMatchObject({ kind: "mined", nonce: 0 });
    const fees = [...life.of("sent"), ...life.of("replaced")].map(({ attempt }) => attempt);
    expect(fees.length).toBeGreaterThan(1);
    for (const [i, { maxFeeWei, tipWei, nonce }] of fees.entries()) {
      expect(nonce).toBe(0);
      expect(maxFeeWei * 100_000n).toBeLessThanOrEqual(100_000n * 50n * GWEI);
      const before = fees[i - 1];
      if (before === undefined) continue;
      expect(maxFeeWei * 1000n).toBeGreaterThanOrEqual(before.maxFeeWei * 1125n);
      expect(tipWei * 1000n).toBeGreaterThanOrEqual(before.tipWei * 1125n);
    }
    expect(await world.timesDone("slow")).toBe(1);
  });

  it("behind another of ours is not replaced for what holds the first up", async () => {
    const life = live(undefined, { confirmations: 1, headroomBlocks: 0 });
    const deadlineMs = world.clock.nowMs() + 3_600_000;
    // Of the second's price no block would complain.
    life.lanes.submit(world.job("first", { maxCostWei: 100_000n * 100n * GWEI, deadlineMs }));
    await world.run(300);
    life.lanes.submit(world.job("second", { maxCostWei: 100_000n * 100n * GWEI, tipWei: 40n * GWEI, deadlineMs }));
    await world.run(300);
    for (let i = 0; i < 8; i += 1) {
      await world.setBaseFee(6n * GWEI);
      await world.block();
    }
    expect(life.of("replaced").length).toBeGreaterThan(0);
    expect(new Set(life.of("replaced").map(({ jobId }) => jobId))).toEqual(new Set(["first"]));
    for (let i = 0; i < 40 && life.outcome("second") === undefined; i += 1) await world.block();
    expect([life.outcome("first")?.kind, life.outcome("second")?.kind]).toEqual(["mined", "mined"]);
  });

  it("may be mined although a replacement was signed, which no node took", async () => {
    const life = live(undefined, { confirmations: 1, headroomBlocks: 0, resendMs: 600_000 });
    life.lanes.submit(world.job("old"));
    await world.run(500);
    world.faults = { isDead: (method) => method === "eth_sendRawTransaction" };
    for (let i = 0; i < 6 && life.of("replaced").length === 0; i += 1) {
      await world.setBaseFee(5n * GWEI);
      await world.block();
    }
    await world.setBaseFee(GWEI);
    await world.block();
    const [sent, replaced] = [life.of("sent")[0]?.attempt.hash, life.of("replaced")[0]?.attempt.hash];
    expect(replaced).toBeDefined();
    expect(life.outcome("old")).toMatchObject({ kind: "mined", receipt: { hash: sent } });
  });

  it("whose replacement is refused for its price is not pressed on the node again and again", async () => {
    const life = live(undefined, { confirmations: 1, headroomBlocks: 0 });
    life.lanes.submit(world.job("old"));
    await world.run(500);
    world.faults = { refuses: (method) => (method === "eth_sendRawTransaction" ? "replacement transaction underpriced" : undefined) };
    const before = world.timesAsked("eth_sendRawTransaction");
    for (let i = 0; i < 12; i += 1) {
      await world.setBaseFee(5n * GWEI);
      await world.block();
    }
    const replaced = life.of("replaced").length;
    expect(replaced).toBeGreaterThan(1);
    expect(world.timesAsked("eth_sendRawTransaction") - before).toBe(replaced);
    expect(life.of("resent")).toEqual([]);
    expect(life.of("not-taken").map(({ why }) => why)).toEqual(life.of("replaced").map(() => "replacement-underpriced"));
    world.faults = {};
    for (let i = 0; i < 12; i += 1) await world.block();
    expect(await world.timesDone("old")).toBe(1);
  });

  it("is cancelled at its ceiling, and the nonce is used all the same", async () => {
    const life = live(undefined, { confirmations: 1 });
    life.lanes.submit(world.job("dear", { maxCostWei: 100_000n * 3n * GWEI, deadlineMs: world.clock.nowMs() + 3_600_000 }));
    await world.run(500);
    for (let i = 0; i < 30 && life.outcome("dear") === undefined; i += 1) {
      await world.setBaseFee(4n * GWEI);
      await world.block();
    }
    expect(life.outcome("dear")).toMatchObject({ kind: "cancelled", nonce: 0 });
    expect(life.of("cancelling")[0]?.why).toBe("ceiling");
    const outcome = life.outcome("dear");
    if (outcome?.kind === "cancelled") expect(outcome.receipt.costWei).toBeLessThanOrEqual(100_000n * 3n * GWEI);
    expect([await world.timesDone("dear"), await world.count()]).toEqual([0, 1]);
    expect(life.lanes.nonces()).toMatchObject([{ nonce: 0, by: "cancel", jobId: "dear", state: "final" }]);
  });

  it("is cancelled at its deadline", async () => {
    const life = live(undefined, { confirmations: 1 });
    life.lanes.submit(world.job("late", { deadlineMs: world.clock.nowMs() + 4000 }));
    await world.run(3000);
    expect(life.told("late")).toEqual(["simulated", "sent"]);
    await world.run(2000);
    expect(life.told("late")).toEqual(["simulated", "sent", "cancelling"]);
    await world.block();
    expect(life.outcome("late")?.kind).toBe("cancelled");
    expect(await world.timesDone("late")).toBe(0);
  });

  it("is cancelled when its caller wants it", async () => {
    const life = live(undefined, { confirmations: 1 });
    life.lanes.submit(world.job("unwanted"));
    await world.run(1000);
    expect(life.lanes.cancel("unwanted")).toBe(true);
    expect(life.lanes.cancel("unknown")).toBe(false);
    await world.run(200);
    expect(life.of("cancelling")[0]?.why).toBe("asked");
    await world.block();
    expect(life.outcome("unwanted")?.kind).toBe("cancelled");
  });

  it("is sent again, the same bytes, when the pool has forgotten it", async () => {
    const life = live(undefined, { confirmations: 1 });
    life.lanes.submit(world.job("lost"));
    await world.run(1000);
    expect(await world.drop()).toBe(1);
    await world.run(2000);
    expect(life.told("lost")).toEqual(["simulated", "sent", "resent"]);
    expect(life.of("resent")[0]?.attempt.hash).toBe(life.of("sent")[0]?.attempt.hash);
    await world.block();
    expect(life.outcome("lost")?.kind).toBe("mined");
  });
});

describe("an RPC that fails", () => {
  it("before anything is sent is a refusal", async () => {
    const life = live();
    world.faults = { isDead: () => true };
    life.lanes.submit(world.job("a"));
    await world.run(5000);
    expect(life.outcome("a")).toMatchObject({ kind: "refused", reason: { kind: "unavailable" } });
  });

  it("and loses its answer to a sending has perhaps taken it, which is found out", async () => {
    const life = live(undefined, { confirmations: 1 });
    world.faults = { losesAnswer: (method) => method === "eth_sendRawTransaction" };
    life.lanes.submit(world.job("a"));
    await world.run(300);
    expect(life.told("a")).toEqual(["simulated", "sent", "not-taken"]);
    expect(life.of("not-taken")[0]?.why).toBe("unknown");
    await world.block();
    expect(life.outcome("a")?.kind).toBe("mined");
    expect([await world.timesDone("a"), await world.count()]).toEqual([1, 1]);
  });

  it("and did not take it is asked again", async () => {
    const life = live(undefined, { confirmations: 1 });
    world.faults = { isDead: (method) => method === "eth_sendRawTransaction" };
    life.lanes.submit(world.job("a"));
    await world.block();
    expect(await world.count()).toBe(0);
    world.faults = {};
    await world.block();
    await world.block();
    expect(life.outcome("a")?.kind).toBe("mined");
  });

  it.each([
    ["insufficient funds for gas * price + value", "insufficient-funds"],
    ["transaction underpriced", "fee-too-low"],
    ["txpool is full", "pool-full"],
  ])("and says %j is told once, and the nonce ends in a cancel at the deadline", async (text, why) => {
    const life = live(undefined, { confirmations: 1 });
    world.faults = { refuses: (method) => (method === "eth_sendRawTransaction" ? text : undefined) };
    life.lanes.submit(world.job("a", { deadlineMs: world.clock.nowMs() + 6000 }));
    await world.run(5000);
    expect(life.told("a")).toEqual(["simulated", "sent", "not-taken"]);
    expect(life.of("not-taken")[0]?.why).toBe(why);
    await world.run(2000);
    world.faults = {};
    await world.run(2000);
    await world.block();
    expect(life.outcome("a")?.kind).toBe("cancelled");
    expect(await world.count()).toBe(1);
  });

  it("and knows the nonce to be used before it knows the receipt is given time", async () => {
    const life = live(undefined, { confirmations: 3 });
    life.lanes.submit(world.job("a"));
    await world.run(300);
    world.faults = { tampers: (method, result) => (method === "eth_getTransactionReceipt" ? null : result) };
    await world.block();
    await world.run(5000);
    await world.block();
    expect(life.told("a")).toEqual(["simulated", "sent"]);
    world.faults = {};
    for (let i = 0; i < 3; i += 1) await world.block();
    expect(life.outcome("a")?.kind).toBe("mined");
  });

  it("and tells a receipt of a block that is no part of the chain is not believed", async () => {
    const life = live(undefined, { confirmations: 1 });
    life.lanes.submit(world.job("a"));
    await world.run(300);
    const elsewhere = (result: unknown) => (result === null ? null : { ...(result as object), blockHash: `0x${"ab".repeat(32)}` });
    world.faults = { tampers: (method, result) => (method === "eth_getTransactionReceipt" ? elsewhere(result) : result) };
    await world.block();
    await world.block();
    expect(life.told("a")).toEqual(["simulated", "sent"]);
    world.faults = {};
    await world.run(1000);
    expect(life.outcome("a")?.kind).toBe("mined");
  });

  it("is told as trouble while something is in flight, and forgotten when it answers again", async () => {
    const life = live(undefined, { confirmations: 1 });
    life.lanes.submit(world.job("a"));
    await world.run(1000);
    world.faults = { isDead: () => true };
    await world.mine();
    await world.run(3000);
    expect(life.of("trouble").length).toBeGreaterThan(0);
    world.faults = {};
    await world.run(40_000);
    expect(life.outcome("a")?.kind).toBe("mined");
  });
});

describe("a reorganisation", () => {
  it.each([1, 2, 3])("of depth %d takes a mined transaction out of its block, and it is mined again", async (depth) => {
    const life = live(undefined, { confirmations: 5 });
    await world.mine(3);
    life.lanes.submit(world.job("a"));
    await world.run(1000);
    for (let i = 0; i < depth; i += 1) await world.block();
    expect(life.told("a")).toEqual(["simulated", "sent", "mined"]);
    await world.reorg(depth, "lost");
    await world.run(3000);
    expect(life.told("a")).toEqual(["simulated", "sent", "mined", "unmined", "resent"]);
    expect(await world.timesDone("a")).toBe(0);
    for (let i = 0; i < 6; i += 1) await world.block();
    expect(life.outcome("a")?.kind).toBe("mined");
    expect([await world.timesDone("a"), await world.count()]).toEqual([1, 1]);
  });

  it("whose branch has the transaction too puts it into another block", async () => {
    const life = live(undefined, { confirmations: 4 });
    await world.mine(2);
    life.lanes.submit(world.job("a"));
    await world.block();
    await world.block();
    await world.reorg(2);
    for (let i = 0; i < 4; i += 1) await world.block();
    const [first, second] = life.of("mined");
    expect(first?.receipt.blockHash).not.toBe(second?.receipt.blockHash);
    expect(life.told("a")).toEqual(["simulated", "sent", "mined", "unmined", "mined", "final"]);
    expect(await world.timesDone("a")).toBe(1);
  });

  it("after which the deadline is over ends in a cancel", async () => {
    const life = live(undefined, { confirmations: 4 });
    await world.mine(2);
    life.lanes.submit(world.job("a", { deadlineMs: world.clock.nowMs() + 4000 }));
    await world.block();
    await world.block();
    await world.reorg(2, "lost");
    await world.run(2000);
    for (let i = 0; i < 5; i += 1) await world.block();
    expect(life.outcome("a")?.kind).toBe("cancelled");
    expect(await world.timesDone("a")).toBe(0);
  });
});

describe("the same key elsewhere", () => {
  const elsewhere = () => world.chain.send({ from: SENDER, to: OWNER.address, data: "0x", gas: 21_000, tipWei: 20n * GWEI });

  it("is noticed by the nonces that it uses, and gone around", async () => {
    const life = live(undefined, { confirmations: 1 });
    life.lanes.submit(world.job("a"));
    await world.block();
    await elsewhere();
    await elsewhere();
    await world.block();
    life.lanes.submit(world.job("b"));
    await world.block();
    expect(life.of("foreign-nonces")).toMatchObject([{ from: 1, to: 2 }]);
    expect(life.outcome("b")).toMatchObject({ kind: "mined", nonce: 3 });
    expect(life.lanes.nonces().map(({ by }) => by)).toEqual(["job", "foreign", "foreign", "job"]);
  });

  it("that takes a job's nonce ends the job as foreign", async () => {
    const life = live(undefined, { confirmations: 2 });
    world.faults = { isDead: (method) => method === "eth_sendRawTransaction" };
    life.lanes.submit(world.job("a"));
    await world.run(500);
    await elsewhere();
    for (let i = 0; i < 4; i += 1) await world.block();
    expect(life.outcome("a")).toEqual({ kind: "foreign", nonce: 0 });
    expect(life.lanes.nonces()).toMatchObject([{ nonce: 0, by: "foreign", jobId: "a", state: "final" }]);
    world.faults = {};
    await world.block();
    expect(await world.timesDone("a")).toBe(0);
  });

  it("whose transaction vanished leaves a gap, which is filled", async () => {
    const life = live(undefined, { confirmations: 1 });
    const hash = await elsewhere();
    life.lanes.submit(world.job("a"));
    await world.run(500);
    expect(life.of("sent")[0]?.attempt.nonce).toBe(1);
    await world.chain.request("hardhat_dropTransaction", hash);
    for (let i = 0; i < 8; i += 1) await world.block();
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
    const before = live(store);
    before.lanes.submit(world.job("done"));
    for (let i = 0; i < 3; i += 1) await world.block();
    before.lanes.submit(world.job("open"));
    await world.run(1000);
    before.kill();
    const after = live(store);
    expect(after.lanes.jobs()).toMatchObject([
      { jobId: "done", state: "final", outcome: { kind: "mined" } },
      { jobId: "open", state: "pending", job: { lane: "open" } },
    ]);
    expect(refusalOf(() => after.lanes.submit(world.job("done")))).toBe("known");
    expect(refusalOf(() => after.lanes.submit(world.job("open")))).toBe("known");
    expect(refusalOf(() => after.lanes.submit(world.job("other", { lane: "open" })))).toBe("busy");
    for (let i = 0; i < 3; i += 1) await world.block();
    expect(after.told("open")).toEqual(["mined", "final"]);
    expect(await world.timesDone("open")).toBe(1);
  });
});

describe("a store that fails", () => {
  it("keeps the transaction from being sent, and everything after it", async () => {
    const store = new MemoryLaneStore();
    store.append = () => {
      throw new Error("ENOSPC: no space left on device");
    };
    const life = live(store);
    life.lanes.submit(world.job("a"));
    await world.run(500);
    expect(life.told("a")).toEqual(["simulated", "refused", "final"]);
    expect(life.outcome("a")).toMatchObject({ reason: { kind: "store" } });
    expect(life.of("fault")).toHaveLength(1);
    expect(refusalOf(() => life.lanes.submit(world.job("b")))).toBe("fault");
    await world.block();
    expect(await world.count()).toBe(0);
  });
});
