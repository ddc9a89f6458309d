import { describe, expect, it } from "vitest";
import { AcquiringStage, brings, MARK } from "./acquiring-stage.js";
import { BID } from "./stage.js";

describe("what may befall an unwinding", () => {
  it("the exchange tells the takeover first, and it is said twice: it counts once", async () => {
    const stage = new AcquiringStage({ alone: true });
    await stage.botStarts();
    const takeover = stage.takeover(10);
    stage.applies(takeover);
    await stage.passes(2_000);
    expect(stage.rig.bot.context.account.positionLots("btcusdc")).toBe(10);
    expect(stage.quotes(), "nobody has said that it is to be unwound").toEqual([]);
    stage.acquires(takeover);
    stage.acquires(takeover);
    expect(stage.rig.bot.context.account.positionLots("btcusdc")).toBe(10);
    await stage.passes(30_000);
    expect(stage.report()).toMatchObject({ state: "done", soldLots: 10 });
    expect(stage.positionLots()).toBe(0);
    stage.expectUnwound();
    expect(stage.differences()).toEqual([]);
  });

  it("a reorganisation takes it back: what was sold of it is bought again", async () => {
    const stage = new AcquiringStage({ alone: true });
    await stage.botStarts();
    const takeover = stage.takeover(10);
    stage.acquires(takeover);
    stage.applies(takeover);
    await stage.passes(3_000);
    stage.counterparty.buys(4, MARK);
    await stage.passes(1_000);
    stage.rig.bot.command({ command: "disinherit", takeoverId: takeover.id });
    expect(stage.rig.bot.context.account.positionLots("btcusdc")).toBe(-4);
    stage.applies({ lots: -10, credit: -takeover.credit });
    await stage.passes(1_000);
    expect(stage.report()).toMatchObject({
      state: "open",
      acquiredLots: 0,
      soldLots: 4,
      remainingLots: -4,
    });
    await stage.passes(30_000);
    expect(stage.report()).toMatchObject({ state: "undone", soldLots: 0, remainingLots: 0 });
    expect(stage.positionLots()).toBe(0);
    stage.expectUnwound();
  });

  it("a reorganisation takes it back: what was sold of it is bought no worse than its price or the mark allow, however little is left", async () => {
    const stage = new AcquiringStage({ alone: true });
    await stage.botStarts();
    const takeover = stage.takeover(10);
    stage.acquires(takeover);
    stage.applies(takeover);
    await stage.passes(3_000);
    stage.counterparty.buys(4, MARK);
    await stage.passes(1_000);
    stage.rig.bot.command({ command: "disinherit", takeoverId: takeover.id });
    stage.applies({ lots: -10, credit: -takeover.credit });
    await stage.passes(1_000);
    const [known] = stage.rig.bot.liquidatedInventory.trajectories("btcusdc");
    expect(known?.worstTicks).toBeLessThanOrEqual(MARK * 1.02);
  });

  it("the chain takes it back and has it again: it counts and is sold once more, and nothing is quoted between the two", async () => {
    const stage = new AcquiringStage({ alone: true });
    await stage.botStarts();
    const takeover = stage.takeover(10);
    stage.acquires(takeover);
    stage.applies(takeover);
    await stage.passes(3_000);
    stage.rig.bot.command({ command: "disinherit", takeoverId: takeover.id });
    await stage.passes(5_000);
    const { account } = stage.rig.bot.context;
    expect([account.positionLots("btcusdc"), account.positionUncertainty("btcusdc")]).toEqual([
      0,
      "taken-back",
    ]);
    expect(stage.quotes()).toEqual([]);
    stage.acquires(takeover);
    stage.acquires(takeover);
    expect(account.positionLots("btcusdc")).toBe(10);
    await stage.passes(30_000);
    expect(account.positionUncertainty("btcusdc")).toBeUndefined();
    expect(stage.report()).toMatchObject({
      state: "done",
      acquiredLots: 10,
      soldLots: 10,
      remainingLots: 0,
    });
    expect(stage.positionLots()).toBe(0);
    stage.expectUnwound();
  });

  it.each(["answer lost", "request lost"] as const)(
    "a slice of unknown fate (%s) is never sent a second time beside itself",
    async (is) => {
      const stage = new AcquiringStage({ alone: true, unwind: { makerFirstMs: 0, slices: 1 } });
      await stage.botStarts();
      const takeover = stage.takeover(10);
      stage.applies(takeover);
      stage.network.next("placeOrder", { is });
      stage.acquires(takeover);
      await stage.passes(1_000);
      expect(stage.slices()).toHaveLength(1);
      await stage.passes(24_000);
      expect(stage.slices()).toHaveLength(is === "answer lost" ? 1 : 2);
      expect(stage.report()).toMatchObject({ state: "done", soldLots: 10 });
      expect(stage.positionLots()).toBe(0);
      stage.expectUnwound();
    },
  );

  it("slices whose settlement fails remain, and are sold again", async () => {
    const stage = new AcquiringStage({
      alone: true,
      exchange: { settlement: { delayMs: 500, failureRate: 0.5 } },
      unwind: { horizonMs: 60_000 },
    });
    await stage.botStarts();
    const takeover = stage.takeover(12);
    stage.applies(takeover);
    stage.acquires(takeover);
    await stage.passes(70_000);
    expect(stage.rig.bot.context.account.counts.failedTrades).toBeGreaterThan(0);
    const { soldLots, remainingLots, state } = stage.report();
    expect([soldLots + remainingLots, stage.positionLots()]).toEqual([12, remainingLots]);
    expect(state).toBe(remainingLots === 0 ? "done" : "expired");
    stage.expectUnwound();
  });

  it("killed in the middle, the bot goes on from where it was, with what was bought of the offer meanwhile", async () => {
    const stage = new AcquiringStage({ alone: true, unwind: { makerFirstMs: 30_000 } });
    await stage.botStarts();
    const takeover = stage.takeover(10);
    stage.acquires(takeover);
    stage.applies(takeover);
    await stage.passes(3_000);
    stage.counterparty.buys(2, MARK);
    await stage.passes(500);
    stage.botIsKilled();
    stage.counterparty.buys(3, MARK);
    await stage.passes(5_000);
    await stage.botStarts(3_000);
    expect(stage.report()).toMatchObject({
      state: "open",
      soldLots: 5,
      remainingLots: 5,
      nettedLots: 0,
      proceedsCredit: brings(5, MARK),
    });
    stage.acquires(takeover);
    expect(
      stage.rig.bot.context.account.positionLots("btcusdc"),
      "said again by whoever starts too",
    ).toBe(5);
    await stage.passes(50_000);
    expect(stage.report()).toMatchObject({ state: "done", soldLots: 10 });
    expect(stage.positionLots()).toBe(0);
    stage.expectUnwound();
  });

  it("the own account is liquidated: position and profit follow by name, and its quotes go on from there", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    stage.counterparty.sells(10, BID);
    await stage.passes(3_000);
    stage.applies({ lots: -10, credit: (brings(10, MARK) * 98n) / 100n }, { type: "LIQUIDATED" });
    await stage.passes(2_000);
    const { account } = stage.rig.bot.context;
    expect(account.positionLots("btcusdc")).toBe(0);
    const { liquidation, decimals } = account.profit();
    expect(liquidation / 10n ** BigInt(decimals - 6)).toBe((-brings(10, MARK) * 2n) / 100n);
    expect(stage.differences()).toEqual([]);
    await stage.passes(35_000);
    stage.expectUnwound();
  });
});
