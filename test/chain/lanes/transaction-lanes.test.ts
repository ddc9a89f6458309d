import { describe, expect, it } from "vitest";
import { LaneStage, refusalOf } from "./lane-stage.js";
import { GWEI, SENDER } from "./lane-world.js";

const stage = new LaneStage();

describe("a job", () => {
  it("is simulated, sent, mined, and final when its block is deep enough", async () => {
    const life = stage.live();
    life.lanes.submit(stage.world.job("one"));
    await stage.world.run(1000);
    expect(life.told("one")).toEqual(["simulated", "sent"]);
    await stage.world.block();
    expect(life.told("one")).toEqual(["simulated", "sent", "mined"]);
    await stage.world.block();
    expect(life.outcome("one")).toBeUndefined();
    await stage.world.block();
    const outcome = life.outcome("one");
    expect(outcome).toMatchObject({
      kind: "mined",
      nonce: 0,
      receipt: { isReverted: false, logs: [{ address: stage.world.token.toLowerCase() }] },
    });
    expect(await stage.world.timesDone("one")).toBe(1);
    if (outcome?.kind !== "mined") throw new Error("not mined");
    const { gasUsed, effectiveGasPriceWei, costWei, hash } = outcome.receipt;
    expect(costWei).toBe(gasUsed * effectiveGasPriceWei);
    expect(life.lanes.nonces()).toEqual([
      { nonce: 0, by: "job", jobId: "one", hash, state: "final" },
    ]);
  });

  it("that would revert is refused with the reason, and costs nothing", async () => {
    const life = stage.live();
    life.lanes.submit(stage.world.hopelessJob("rich"));
    await stage.world.run(1000);
    expect(life.told("rich")).toEqual(["refused", "final"]);
    expect(life.outcome("rich")).toMatchObject({
      kind: "refused",
      reason: { kind: "revert", revert: { kind: "custom-error" } },
    });
    expect(await stage.world.count()).toBe(0);
  });

  it("that cannot pay the next block's base fee under its ceiling is refused with both", async () => {
    const life = stage.live();
    life.lanes.submit(stage.world.job("poor", { maxCostWei: 100_000n * 10n ** 8n }));
    await stage.world.run(1000);
    const outcome = life.outcome("poor");
    expect(outcome).toMatchObject({
      kind: "refused",
      reason: { kind: "too-costly", ceilingFeeWei: 10n ** 8n },
    });
    if (outcome?.kind === "refused" && outcome.reason.kind === "too-costly")
      expect(outcome.reason.neededFeeWei).toBeGreaterThan(outcome.reason.ceilingFeeWei);
  });

  it("that the account cannot pay beside what is in flight is refused, and takes no nonce", async () => {
    const life = stage.live(undefined, { confirmations: 1 });
    await stage.world.chain.request(
      "hardhat_setBalance",
      SENDER.address,
      `0x${(2n * 10n ** 15n).toString(16)}`,
    );
    life.lanes.submit(stage.world.job("first", { tipWei: 10n * GWEI }));
    await stage.world.run(500);
    life.lanes.submit(stage.world.job("second", { tipWei: 10n * GWEI }));
    await stage.world.run(500);
    const outcome = life.outcome("second");
    expect(outcome).toMatchObject({
      kind: "refused",
      reason: { kind: "insufficient-funds", balanceWei: 2n * 10n ** 15n },
    });
    await stage.world.block();
    expect(life.outcome("first")?.kind).toBe("mined");
    expect(await stage.world.count()).toBe(1);
  });

  it("may leave its gas to the node's estimate", async () => {
    const life = stage.live(undefined, { confirmations: 1 });
    life.lanes.submit(stage.world.job("estimated", { gasLimit: "estimate" }));
    await stage.world.block();
    expect(life.outcome("estimated")?.kind).toBe("mined");
    const gasLimit = life.of("sent")[0]?.attempt.gasLimit ?? 0n;
    expect(gasLimit).toBeGreaterThan(50_000n);
    expect(gasLimit).toBeLessThan(100_000n);
  });

  it("that loses the race reverts in its block: gas is paid, and the reason is reported", async () => {
    const life = stage.live(undefined, { confirmations: 1 });
    await stage.world.allowOwner();
    life.lanes.submit(stage.world.job("late"));
    await stage.world.run(500);
    await stage.world.takeAll(20n * GWEI);
    await stage.world.block();
    expect(life.told("late")).toEqual(["simulated", "sent", "reverted", "final"]);
    const outcome = life.outcome("late");
    expect(outcome).toMatchObject({
      kind: "reverted",
      receipt: { isReverted: true, logs: [] },
      revert: { kind: "custom-error" },
    });
    if (outcome?.kind === "reverted") expect(outcome.receipt.costWei).toBeGreaterThan(0n);
    expect(await stage.world.timesDone("late")).toBe(0);
  });
});

describe("lanes", () => {
  it("accept one job at a time each, and each id once", async () => {
    const life = stage.live();
    life.lanes.submit(stage.world.job("a", { lane: "x" }));
    expect(refusalOf(() => life.lanes.submit(stage.world.job("b", { lane: "x" })))).toBe("busy");
    expect(refusalOf(() => life.lanes.submit(stage.world.job("a", { lane: "y" })))).toBe("known");
    await stage.world.block();
    expect(refusalOf(() => life.lanes.submit(stage.world.job("b", { lane: "x" })))).toBe("busy");
    for (let i = 0; i < 3; i += 1) await stage.world.block();
    expect(refusalOf(() => life.lanes.submit(stage.world.job("a", { lane: "x" })))).toBe("known");
    expect(refusalOf(() => life.lanes.submit(stage.world.job("b", { lane: "x" })))).toBe("taken");
    await stage.world.run(500);
  });

  it("share the account's nonces without a gap, refused ones between", async () => {
    const life = stage.live(undefined, { confirmations: 1 });
    for (const id of ["a", "b", "c", "d"])
      life.lanes.submit(id === "b" ? stage.world.hopelessJob(id) : stage.world.job(id));
    await stage.world.block();
    const nonces = life.of("mined").map((event) => event.nonce);
    expect([...nonces].sort()).toEqual([0, 1, 2]);
    expect(await stage.world.count()).toBe(3);
    expect(life.outcome("b")?.kind).toBe("refused");
  });

  it("refuse a job with a wrong field, and every job when closed", async () => {
    const life = stage.live();
    expect(refusalOf(() => life.lanes.submit(stage.world.job("a", { to: "0x12" })))).toBe(
      "invalid",
    );
    expect(refusalOf(() => life.lanes.submit(stage.world.job("a", { gasLimit: 20_999n })))).toBe(
      "invalid",
    );
    expect(refusalOf(() => life.lanes.submit(stage.world.job("a", { maxCostWei: 0n })))).toBe(
      "invalid",
    );
    const closing = life.lanes.close();
    await stage.world.rest();
    await closing;
    expect(refusalOf(() => life.lanes.submit(stage.world.job("a")))).toBe("closed");
  });

  it("send no requests while nothing is in flight and every outcome is too old for a reorg", async () => {
    const life = stage.live(undefined, { confirmations: 1, followBlocks: 2 });
    life.lanes.submit(stage.world.job("a"));
    await stage.world.block();
    expect(life.outcome("a")?.kind).toBe("mined");
    await stage.world.block();
    await stage.world.block();
    const { steps } = life;
    await stage.world.run(20_000);
    expect(life.steps).toBe(steps);
  });
});

describe("a transaction that waits", () => {
  it("is replaced at the same nonce with higher fees until it is mined", async () => {
    const life = stage.live(undefined, { confirmations: 1, headroomBlocks: 0 });
    life.lanes.submit(stage.world.job("slow"));
    await stage.world.run(500);
    await stage.world.setBaseFee(5n * GWEI);
    await stage.world.mine();
    for (let i = 0; i < 30 && life.outcome("slow") === undefined; i += 1) {
      await stage.world.setBaseFee(5n * GWEI);
      await stage.world.block();
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
    expect(await stage.world.timesDone("slow")).toBe(1);
  });

  it("behind another of ours is not replaced because the first one is stuck", async () => {
    const life = stage.live(undefined, { confirmations: 1, headroomBlocks: 0 });
    const deadlineMs = stage.world.clock.nowMs() + 3_600_000;
    // A block would accept the price of the second.
    life.lanes.submit(stage.world.job("first", { maxCostWei: 100_000n * 100n * GWEI, deadlineMs }));
    await stage.world.run(300);
    life.lanes.submit(
      stage.world.job("second", {
        maxCostWei: 100_000n * 100n * GWEI,
        tipWei: 40n * GWEI,
        deadlineMs,
      }),
    );
    await stage.world.run(300);
    for (let i = 0; i < 8; i += 1) {
      await stage.world.setBaseFee(6n * GWEI);
      await stage.world.block();
    }
    expect(life.of("replaced").length).toBeGreaterThan(0);
    expect(new Set(life.of("replaced").map(({ jobId }) => jobId))).toEqual(new Set(["first"]));
    for (let i = 0; i < 40 && life.outcome("second") === undefined; i += 1)
      await stage.world.block();
    expect([life.outcome("first")?.kind, life.outcome("second")?.kind]).toEqual(["mined", "mined"]);
  });

  it("may be mined although a replacement was signed that no node accepted", async () => {
    const life = stage.live(undefined, { confirmations: 1, headroomBlocks: 0, resendMs: 600_000 });
    life.lanes.submit(stage.world.job("old"));
    await stage.world.run(500);
    stage.world.faults = { isDead: (method) => method === "eth_sendRawTransaction" };
    for (let i = 0; i < 6 && life.of("replaced").length === 0; i += 1) {
      await stage.world.setBaseFee(5n * GWEI);
      await stage.world.block();
    }
    await stage.world.setBaseFee(GWEI);
    await stage.world.block();
    const [sent, replaced] = [
      life.of("sent")[0]?.attempt.hash,
      life.of("replaced")[0]?.attempt.hash,
    ];
    expect(replaced).toBeDefined();
    expect(life.outcome("old")).toMatchObject({ kind: "mined", receipt: { hash: sent } });
  });

  it("whose replacement is rejected as underpriced is not sent again and again", async () => {
    const life = stage.live(undefined, { confirmations: 1, headroomBlocks: 0 });
    life.lanes.submit(stage.world.job("old"));
    await stage.world.run(500);
    stage.world.faults = {
      refuses: (method) =>
        method === "eth_sendRawTransaction" ? "replacement transaction underpriced" : undefined,
    };
    const before = stage.world.timesAsked("eth_sendRawTransaction");
    for (let i = 0; i < 12; i += 1) {
      await stage.world.setBaseFee(5n * GWEI);
      await stage.world.block();
    }
    const replaced = life.of("replaced").length;
    expect(replaced).toBeGreaterThan(1);
    expect(stage.world.timesAsked("eth_sendRawTransaction") - before).toBe(replaced);
    expect(life.of("resent")).toEqual([]);
    expect(life.of("not-taken").map(({ why }) => why)).toEqual(
      life.of("replaced").map(() => "replacement-underpriced"),
    );
    stage.world.faults = {};
    for (let i = 0; i < 12; i += 1) await stage.world.block();
    expect(await stage.world.timesDone("old")).toBe(1);
  });

  it("is cancelled at its cost limit, and the nonce is used anyway", async () => {
    const life = stage.live(undefined, { confirmations: 1 });
    life.lanes.submit(
      stage.world.job("dear", {
        maxCostWei: 100_000n * 3n * GWEI,
        deadlineMs: stage.world.clock.nowMs() + 3_600_000,
      }),
    );
    await stage.world.run(500);
    for (let i = 0; i < 30 && life.outcome("dear") === undefined; i += 1) {
      await stage.world.setBaseFee(4n * GWEI);
      await stage.world.block();
    }
    expect(life.outcome("dear")).toMatchObject({ kind: "cancelled", nonce: 0 });
    expect(life.of("cancelling")[0]?.why).toBe("ceiling");
    const outcome = life.outcome("dear");
    if (outcome?.kind === "cancelled")
      expect(outcome.receipt.costWei).toBeLessThanOrEqual(100_000n * 3n * GWEI);
    expect([await stage.world.timesDone("dear"), await stage.world.count()]).toEqual([0, 1]);
    expect(life.lanes.nonces()).toMatchObject([
      { nonce: 0, by: "cancel", jobId: "dear", state: "final" },
    ]);
  });

  it("is cancelled at its deadline", async () => {
    const life = stage.live(undefined, { confirmations: 1 });
    life.lanes.submit(stage.world.job("late", { deadlineMs: stage.world.clock.nowMs() + 4000 }));
    await stage.world.run(3000);
    expect(life.told("late")).toEqual(["simulated", "sent"]);
    await stage.world.run(2000);
    expect(life.told("late")).toEqual(["simulated", "sent", "cancelling"]);
    await stage.world.block();
    expect(life.outcome("late")?.kind).toBe("cancelled");
    expect(await stage.world.timesDone("late")).toBe(0);
  });

  it("is cancelled when its caller requests it", async () => {
    const life = stage.live(undefined, { confirmations: 1 });
    life.lanes.submit(stage.world.job("unwanted"));
    await stage.world.run(1000);
    expect(life.lanes.cancel("unwanted")).toBe(true);
    expect(life.lanes.cancel("unknown")).toBe(false);
    await stage.world.run(200);
    expect(life.of("cancelling")[0]?.why).toBe("asked");
    await stage.world.block();
    expect(life.outcome("unwanted")?.kind).toBe("cancelled");
  });

  it("is sent again, the same bytes, when the pool has forgotten it", async () => {
    const life = stage.live(undefined, { confirmations: 1 });
    life.lanes.submit(stage.world.job("lost"));
    await stage.world.run(1000);
    expect(await stage.world.drop()).toBe(1);
    await stage.world.run(2000);
    expect(life.told("lost")).toEqual(["simulated", "sent", "resent"]);
    expect(life.of("resent")[0]?.attempt.hash).toBe(life.of("sent")[0]?.attempt.hash);
    await stage.world.block();
    expect(life.outcome("lost")?.kind).toBe("mined");
  });
});
