import { describe, expect, it } from "vitest";
import { AcquiringStage, brings, MARK } from "./acquiring-stage.js";
import { ASK, BID } from "./stage.js";

describe("an acquired position in a market without quotes", () => {
  it.each([
    [10, "SELL"],
    [-10, "BUY"],
  ] as const)(
    "of %d lots is offered first, then taken down by its trajectory, and is gone before its deadline",
    async (lots, side) => {
      const stage = new AcquiringStage({ alone: true });
      await stage.botStarts();
      expect(stage.quotes()).toEqual([]);
      const takeover = stage.takeover(lots);
      stage.acquires(takeover);
      expect(stage.rig.bot.context.account.positionLots("btcusdc"), "at once").toBe(lots);
      await stage.passes(300);
      stage.applies(takeover);
      await stage.passes(4_000);
      expect(stage.quotes()).toEqual([`${side} 10 @ ${MARK}`]);
      expect(stage.slices()).toEqual([]);

      await stage.passes(30_000);
      expect(stage.report()).toMatchObject({
        state: "done",
        soldLots: lots,
        remainingLots: 0,
        nettedLots: 0,
      });
      expect(stage.slices()).toHaveLength(4);
      expect(stage.cancelledSlices(), "an immediate order never rests").toBe(0);
      expect(stage.positionLots()).toBe(0);
      expect(stage.quotes()).toEqual([]);
      expect(stage.states()).toEqual(["open", "done"]);
      stage.expectUnwound();
      expect(stage.differences()).toEqual([]);
    },
  );

  it("is offered at the mid of the others: an offer that was just cancelled counted as somebody's, and the next ones went down to the bid", async () => {
    const stage = new AcquiringStage({ alone: true });
    await stage.botStarts();
    for (const below of [10, 20, 30, 40]) stage.counterparty.rests("BUY", 3, MARK - below);
    await stage.passes(1_000);
    const offers: number[] = [];
    stage.listeners.push((notice) => {
      if (notice.kind !== "dispatched" || notice.action.kind !== "place") return;
      if (notice.action.timeInForce === "POST_ONLY") offers.push(notice.action.ticks);
    });
    const takeover = stage.takeover(10);
    stage.acquires(takeover);
    stage.applies(takeover);
    await stage.passes(30_000);
    expect(stage.report()).toMatchObject({ state: "done" });
    expect(Math.min(...offers), "half way between the others' bid and ask").toBeGreaterThan(
      MARK + 30,
    );
    expect(offers.length).toBeLessThanOrEqual(8);
  });

  it("is taken down only as far as nobody bought the offer", async () => {
    const stage = new AcquiringStage({ alone: true });
    await stage.botStarts();
    const takeover = stage.takeover(8);
    stage.acquires(takeover);
    stage.applies(takeover);
    await stage.passes(3_000);
    stage.counterparty.buys(5, MARK);
    await stage.passes(6_000);
    expect(stage.report()).toMatchObject({
      state: "open",
      soldLots: 5,
      remainingLots: 3,
      proceedsCredit: brings(5, MARK),
    });
    expect(
      stage.slices(),
      "three are less than the trajectory allows in its first two parts",
    ).toEqual([]);
    await stage.passes(25_000);
    expect(stage.report()).toMatchObject({ state: "done", soldLots: 8 });
    expect(stage.slices()).toHaveLength(2);
    stage.expectUnwound();
  });

  it("is not sold below its bound in a crash: what remains at the deadline is kept, and told at its mark", async () => {
    const stage = new AcquiringStage({ alone: true, unwind: { maxSlippageBps: 50 } });
    await stage.botStarts();
    const takeover = stage.takeover(10);
    stage.acquires(takeover);
    stage.applies(takeover);
    // The bids within half a per cent of the takeover's price, one per cent below the mark, are
    // gone. The rest of the book is 1.7 % below the mark.
    stage.buyersLeave();
    await stage.passesWithin(30_000, 591_030);
    expect(stage.report()).toMatchObject({
      state: "expired",
      soldLots: 0,
      remainingLots: 10,
      markCredit: stage.atMark(10),
    });
    expect([stage.slices(), stage.quotes()]).toEqual([[], []]);
    expect(stage.earned(), "nothing but the discount and the fall of the mark").toBe(
      takeover.credit + stage.atMark(10),
    );
    stage.expectUnwound();
  });

  it.each([
    [10, "SELL"],
    [-10, "BUY"],
  ] as const)(
    "of %d lots (%s) is gone in time where takeover and book are three per cent worse than the mark that is known",
    async (lots, side) => {
      const stage = new AcquiringStage({ alone: true });
      await stage.botStarts();
      const towards = side === "SELL" ? -1 : 1;
      const price = MARK + (towards * MARK * 3) / 100;
      // The chain's price has jumped; the exchange has published no new mark.
      const buyersOrSellers = side === "SELL" ? "BUY" : "SELL";
      stage.empties(buyersOrSellers);
      stage.counterparty.rests(buyersOrSellers, 400, price);
      await stage.passes(500);
      const takeover = stage.takeover(lots, { credit: -BigInt(lots) * BigInt(price) * 100n });
      stage.acquires(takeover);
      stage.applies(takeover);
      expect(stage.rig.bot.context.traders.get("btcusdc")?.state.markTicks).toBe(MARK);
      await stage.passesWithin(30_000, price + (towards * price) / 100);
      expect(stage.report()).toMatchObject({
        state: "done",
        soldLots: lots,
        remainingLots: 0,
        proceedsCredit: brings(lots, price),
      });
      expect(stage.positionLots()).toBe(0);
      stage.expectUnwound();
    },
  );

  it.each([
    [10, "SELL"],
    [-10, "BUY"],
  ] as const)(
    "of %d lots needs nobody on its own side of the book to be taken down",
    async (lots, side) => {
      const stage = new AcquiringStage({ alone: true, unwind: { makerFirstMs: 0, slices: 1 } });
      await stage.botStarts();
      stage.empties(side);
      await stage.passes(500);
      const takeover = stage.takeover(lots);
      stage.acquires(takeover);
      stage.applies(takeover);
      await stage.passes(2_000);
      expect(stage.slices()).toHaveLength(1);
      expect(stage.report()).toMatchObject({ state: "done", soldLots: lots });
      stage.expectUnwound();
    },
  );

  it("is offered though nobody buys at all, and is not offered through those who do where nobody sells", async () => {
    const unbought = new AcquiringStage({ alone: true });
    await unbought.botStarts();
    unbought.empties("BUY");
    unbought.acquires(unbought.takeover(10));
    await unbought.passes(1_000);
    expect(unbought.quotes()).toEqual([`SELL 10 @ ${MARK}`]);

    const unsold = new AcquiringStage({ alone: true });
    await unsold.botStarts();
    unsold.empties("SELL");
    unsold.counterparty.rests("BUY", 5, MARK + 50);
    unsold.acquires(unsold.takeover(10));
    await unsold.passes(1_000);
    expect(unsold.quotes()).toEqual([`SELL 10 @ ${MARK + 51}`]);
    expect(unsold.notices.filter(({ kind }) => kind === "held-back")).toEqual([]);
  });

  it("waits while its book is not to be trusted, and goes on when it is", async () => {
    const stage = new AcquiringStage({ alone: true, unwind: { makerFirstMs: 0, slices: 1 } });
    await stage.botStarts();
    const takeover = stage.takeover(10);
    stage.rig.bot.context.traders.get("btcusdc")?.invalidate("the story says so");
    stage.acquires(takeover);
    stage.applies(takeover);
    await stage.passes(100);
    expect([stage.slices(), stage.quotes()]).toEqual([[], []]);
    await stage.passes(15_000);
    expect(stage.report()).toMatchObject({ state: "done", soldLots: 10 });
    stage.expectUnwound();
  });
});

describe("an acquired position in a quoted market", () => {
  it("moves the quotes at once: the adding side comes down, the reducing side works it, slices only what is behind", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    expect(stage.quotes()).toEqual([`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`]);
    const takeover = stage.takeover(24);
    stage.acquires(takeover);
    await stage.passes(200);
    stage.applies(takeover);
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual([`SELL 10 @ ${ASK}`]);
    stage.counterparty.buys(10, ASK);
    await stage.passes(1_000);
    expect(stage.report()).toMatchObject({ soldLots: 10, remainingLots: 14 });
    await stage.passes(30_000);
    expect(stage.report()).toMatchObject({ state: "done", remainingLots: 0 });
    expect(stage.slices().length).toBeGreaterThan(0);
    expect(stage.quotes(), "quoting goes on as before").toEqual([
      `BUY 10 @ ${BID}`,
      `SELL 10 @ ${ASK}`,
    ]);
    expect(stage.positionLots()).toBe(0);
    stage.expectUnwound();
  });

  it("who held the opposite closes that with it at the mark, and unwinds what is left", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    stage.counterparty.buys(6, ASK);
    await stage.passes(2_000);
    expect(stage.positionLots()).toBe(-6);
    const takeover = stage.takeover(16);
    const proceedsCredit = stage.atMark(6);
    stage.acquires(takeover);
    stage.applies(takeover);
    await stage.passes(200);
    expect(stage.report()).toMatchObject({
      nettedLots: 6,
      soldLots: 6,
      remainingLots: 10,
      proceedsCredit,
    });
    await stage.passes(30_000);
    expect(stage.report()).toMatchObject({ state: "done", soldLots: 16 });
    expect(stage.positionLots()).toBe(0);
    stage.expectUnwound();
  });

  it("is still unwound while a loss has stopped the quoting, and not while a person has halted", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    const takeover = stage.takeover(10);
    stage.acquires(takeover);
    stage.applies(takeover);
    stage.rig.bot.command({ command: "halt", reason: "let me look" });
    await stage.passes(10_000);
    expect([stage.slices(), stage.quotes(), stage.report().remainingLots]).toEqual([[], [], 10]);
    stage.rig.bot.command({ command: "resume" });
    stage.rig.bot.tradingGuards.haltMarket("btcusdc", "drawdown", "the story says so");
    await stage.passes(20_000);
    expect(stage.report()).toMatchObject({ state: "done", remainingLots: 0 });
    expect(stage.quotes()).toEqual([]);
    stage.expectUnwound();
  });
});
