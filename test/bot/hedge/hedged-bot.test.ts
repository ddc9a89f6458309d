import { describe, expect, it } from "vitest";
import { totalEquity } from "#bot/equity-monitor.js";
import { hedgeText } from "#bot/hedge-status.js";
import { RunError } from "#core/errors.js";
import { lotsValue } from "../../hedge/hedge-records.js";
import { ASK, BID, MARKET } from "../../scenarios/stage.js";
import { HedgedStage, type hedgedBot } from "./hedged-stage.js";

const BOTH = [`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`];

async function quoting(...keys: Parameters<typeof hedgedBot>): Promise<HedgedStage> {
  const stage = new HedgedStage(keys);
  await stage.botStarts(5_000);
  expect(stage.quotes()).toEqual(BOTH);
  return stage;
}

describe("a bot that hedges", () => {
  it("lays each fill off once, and counts both legs in its profit", async () => {
    const stage = await quoting();
    stage.counterparty.sells(10, BID);
    await stage.passes(2_000);
    stage.expectLegs(10, -10);
    stage.counterparty.buys(4, ASK);
    await stage.passes(2_000);
    stage.expectLegs(6, -6);
    expect(stage.deep.sentOf("place").map(({ side, lots }) => [side, lots])).toEqual([
      ["SELL", 10],
      ["BUY", 4],
    ]);
    expect(stage.status).toMatchObject({
      positionBase: "-0.006",
      unhedgedBase: "0",
      netBase: "0",
      isReachable: true,
      orders: [],
      restriction: undefined,
    });
    await stage.passes(10_000);
    stage.expectAgreement();
    // Half a spread of one lot's ten ticks on fourteen lots is lost there.
    const lost = -lotsValue(5, 14);
    expect(stage.hedged.hedger.profit?.total).toBe(lost);
    const { account, hedges } = stage.rig.bot.context;
    expect(totalEquity({ account, hedges })).toBe(stage.netValue() + lost / 100n);
  });

  it("shows a strategy both legs apart, and the price and the funding of the other one", async () => {
    const stage = await quoting({ quoteRate: { fixed: 1.01 } });
    const { hedges } = stage.rig.bot.context;
    expect(hedges.viewOf(MARKET)).toMatchObject({ fundingRate: 0, nextFundingMs: 0 });
    const { symbol } = stage.hedged.hedger.contract;
    const announced = { fundingRate: -0.0002, nextFundingMs: 1_800_000_000_000 };
    stage.deep.events$.next({
      type: "funding-rate",
      symbol: "OTHER",
      ...announced,
      fundingRate: 1,
    });
    stage.deep.events$.next({ type: "funding-rate", symbol, ...announced });
    stage.counterparty.sells(10, BID);
    await stage.passes(2_000);
    const view = hedges.viewOf(MARKET);
    expect(view).toMatchObject({ ...announced, ownPositionLots: 10, positionLots: -10 });
    // A touch of 60,000.0 and 60,001.0 there, in the quote asset of this exchange.
    expect(view?.midTicks).toBeCloseTo(600_005 * 1.01, 6);
    expect(view?.halfSpreadTicks).toBeCloseTo(5 * 1.01, 9);
    expect(view?.takerFeeBps).toBeNaN();
    expect(stage.rig.bot.context.traders.get(MARKET)?.lastView?.hedge).toEqual(view);
  });

  it("limits what is left of the position, and not each leg", async () => {
    const stage = await quoting();
    for (let filled = 0; filled < 6; filled += 1) {
      stage.counterparty.sells(10, BID);
      await stage.passes(3_000);
    }
    stage.expectLegs(60, -60);
    expect(stage.quotes()).toEqual(BOTH);
    // This would reduce the position here, and leave 35 sold there: more than 30.
    stage.wants({ bid: null, lots: 35 });
    await stage.passes(5_000);
    expect(stage.quotes()).toEqual([`SELL 30 @ ${ASK}`]);
  });

  it("quotes only what reduces the net position while the venue is away", async () => {
    const stage = await quoting();
    stage.deep.streamIsLost();
    await stage.passes(2_000);
    expect(stage.quotes(), "nothing is left to reduce").toEqual([]);
    expect(stage.halts()).toEqual([]);
    stage.deep.streamIsUp();
    await stage.passes(5_000);
    expect(stage.quotes()).toEqual(BOTH);

    stage.deep.streamIsLost();
    stage.counterparty.sells(10, BID);
    await stage.passes(3_000);
    stage.expectLegs(10, 0);
    expect(stage.quotes()).toEqual([`SELL 10 @ ${ASK}`]);
    expect(hedgeText(stage.status)).toContain("quotes only reduce: deep: its streams are down");
    stage.deep.streamIsUp();
    await stage.passes(5_000);
    stage.expectLegs(10, -10);
    expect(stage.quotes()).toEqual(BOTH);
  });

  it("halts instead if the file says so, and resumes when the venue is back", async () => {
    const stage = await quoting({ whenAway: "halt" });
    stage.deep.streamIsLost();
    await stage.passes(2_000);
    expect(stage.halts()).toEqual(["hedge-away"]);
    expect(stage.quotes()).toEqual([]);
    expect(hedgeText(stage.status)).toContain("halted: deep: its streams are down");
    expect(hedgeText(stage.status)).not.toContain("quotes only reduce");
    stage.deep.streamIsUp();
    await stage.passes(10_000);
    expect(stage.halts()).toEqual([]);
    expect(stage.quotes()).toEqual(BOTH);
  });

  it("stops quoting freely when a fill cannot be hedged for too long", async () => {
    const stage = await quoting({ maxUnhedgedMs: 3_000 });
    stage.deep.depthLots = 0;
    stage.counterparty.sells(10, BID);
    await stage.passes(2_500);
    expect(stage.quotes()).toContain(`BUY 10 @ ${BID}`);
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual([`SELL 10 @ ${ASK}`]);
    expect(stage.status.restriction).toMatch(
      /^quotes only reduce: 0\.01 BTC have been unhedged for \d s$/,
    );
    stage.deep.depthLots = 1_000;
    await stage.passes(8_000);
    stage.expectLegs(10, -10);
    expect(stage.quotes()).toEqual(BOTH);
  });

  it("flattens both legs", async () => {
    const stage = await quoting();
    stage.counterparty.sells(10, BID);
    await stage.passes(2_000);
    stage.expectLegs(10, -10);
    stage.counterparty.rests("BUY", 50, BID - 20);
    stage.rig.bot.command({ command: "flatten", marketId: MARKET, maxSlippageBps: 100 });
    await stage.passes(10_000);
    stage.expectLegs(0, 0);
    expect(stage.openThere()).toBe(0);
  });

  it("undoes the hedge of a fill whose settlement failed, once", async () => {
    const stage = new HedgedStage([], { settlement: { delayMs: 3_000, failureRate: 1 } });
    await stage.botStarts(5_000);
    stage.deep.streamFate = () => ({ isTwice: true });
    stage.counterparty.sells(10, BID);
    await stage.passes(1_000);
    stage.expectLegs(10, -10);
    await stage.passes(10_000);
    stage.expectLegs(0, 0);
    expect(stage.deep.sentOf("place").map(({ side, lots }) => [side, lots])).toEqual([
      ["SELL", 10],
      ["BUY", 10],
    ]);
  });
});

describe("a bot that hedges and stops", () => {
  it.each(["taker", "maker-then-taker"])(
    "hedges its last fill and leaves no order there (%s)",
    async (style) => {
      const stage = await quoting({ style });
      stage.deep.next("place", { thereMs: 900 });
      stage.counterparty.sells(10, BID);
      await stage.passes(100);
      const result = await stage.botStops();
      expect(result.hedgesLeft).toBeUndefined();
      expect(stage.openThere()).toBe(0);
      stage.expectLegs(10, -10);
    },
  );

  it("waits for the settlement of its last fill, and undoes the hedge if that fails", async () => {
    const stage = new HedgedStage([], { settlement: { delayMs: 12_000, failureRate: 1 } });
    await stage.botStarts(5_000);
    // The rest of the quote is cancelled: the exchange lists no order of it any more.
    stage.counterparty.sells(4, BID);
    await stage.passes(1_000);
    const result = await stage.botStops();
    expect(result).toMatchObject({ ordersLeft: [], openOrdersLeft: 0 });
    expect(result.unsettledHedges).toBeUndefined();
    stage.expectLegs(0, 0);
    expect(stage.deep.sentOf("place").map(({ side, lots }) => [side, lots])).toEqual([
      ["SELL", 4],
      ["BUY", 4],
    ]);
  });

  it.each([
    ["while no bot runs", 60_000],
    ["after the bot has started again", 1_000],
  ])(
    "names the hedge of a fill whose settlement takes too long; the next run undoes it if it fails %s",
    async (_when, pauseMs) => {
      const stage = new HedgedStage([], { settlement: { delayMs: 45_000, failureRate: 1 } });
      await stage.botStarts(5_000);
      stage.counterparty.sells(4, BID);
      await stage.passes(1_000);
      const stoppedAtMs = stage.clock.nowMs();
      const result = await stage.botStops();
      expect(result.unsettledHedges).toEqual([
        { marketId: MARKET, venue: "deep", buyBase: "0.004", sellBase: "0" },
      ]);
      const tookMs = stage.clock.nowMs() - stoppedAtMs;
      expect(tookMs).toBeGreaterThan(19_900);
      expect(tookMs).toBeLessThan(25_000);
      stage.expectLegs(4, -4);
      await stage.passes(pauseMs);
      await stage.botStarts(60_000);
      stage.expectLegs(0, 0);
    },
  );

  it("names what it could not hedge", async () => {
    const stage = await quoting();
    stage.deep.streamIsLost();
    stage.counterparty.sells(10, BID);
    await stage.passes(100);
    const result = await stage.botStops(120_000);
    expect(result.hedgesLeft).toEqual([
      { marketId: MARKET, venue: "deep", neededBase: "-0.01", ordersLeft: [] },
    ]);
    // The orders at the exchange do not depend on the hedge: nobody has to cancel anything there.
    expect(result).toMatchObject({ ordersLeft: [], openOrdersLeft: 0 });
    expect(result.positionsApart).toBeUndefined();
  });

  it("does not take a quote that was filled whole and is not settled for an open order", async () => {
    const stage = new HedgedStage([], { settlement: { delayMs: 45_000, failureRate: 0 } });
    await stage.botStarts(5_000);
    stage.counterparty.sells(10, BID);
    await stage.passes(1_000);
    const stoppedAtMs = stage.clock.nowMs();
    const result = await stage.botStops();
    expect(result).toMatchObject({ ordersLeft: [], openOrdersLeft: 0 });
    expect(result.positionsApart).toBeUndefined();
    expect(result.unsettledHedges).toHaveLength(1);
    expect(stage.clock.nowMs() - stoppedAtMs).toBeLessThan(25_000);
  });
});

describe("a bot that hedges and starts again", () => {
  it("hedges nothing twice after it was killed while its order was under way", async () => {
    const stage = await quoting();
    stage.deep.next("place", { thereMs: 1_500 });
    stage.counterparty.sells(10, BID);
    await stage.passes(500);
    stage.botIsKilled();
    await stage.botStarts(10_000);
    stage.expectLegs(10, -10);
    expect(stage.deep.sentOf("place")).toHaveLength(1);
  });

  it("refuses a state of another venue with a position there, and takes one without", async () => {
    const stage = await quoting();
    stage.counterparty.sells(10, BID);
    await stage.passes(2_000);
    stage.botIsKilled();
    const file = `hedge-${MARKET}.json`;
    const text = stage.store.read(file) ?? "";
    stage.store.write(file, text.replace('"venue":"deep"', '"venue":"other"'));
    const refused = stage.botStarts(1_000);
    await expect(refused).rejects.toThrow(RunError);
    await expect(refused).rejects.toThrow(/was hedged at other.*position is open there/s);
    const closed = { ...JSON.parse(text), venue: "other", positionLots: 0, orders: [] };
    stage.store.write(file, JSON.stringify(closed));
    await stage.botStarts(5_000);
    stage.expectLegs(10, -10);
  });

  it("does not take a hedge whose rate it has not got yet for a loss", async () => {
    const stage = new HedgedStage([
      { quoteRate: { reference: "usdt" } },
      {},
      { references: { usdt: { ccxt: "binanceusdm", symbol: "USDC/USDT:USDT" } } },
    ]);
    await stage.botStarts(5_000);
    expect(stage.quotes()).toEqual([]);
    const rates = (bid: number) => {
      const update = { type: "price", source: "usdt", bid, ask: bid, heldMs: 0 } as const;
      stage.rig.bot.accept({ kind: "reference", update });
    };
    rates(0.5);
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual(BOTH);
    stage.counterparty.sells(10, BID);
    await stage.passes(10_000);
    const equity = () => totalEquity(stage.rig.bot.context);
    expect(stage.rig.bot.context.hedges.profitCredit).toBe(-lotsValue(5, 10) / 200n);
    const before = equity();
    expect(before).toBeDefined();
    stage.botIsKilled();
    await stage.botStarts(10_000);
    expect(equity()).toBeUndefined();
    expect(stage.quotes(), "nothing is free while it is not known").toEqual([]);
    expect(stage.status.restriction).toBe("quotes only reduce: usdt has sent no rate");
    rates(0.5);
    await stage.passes(3_000);
    expect(equity()).toBe(before);
    expect(stage.quotes()).toEqual(BOTH);
  });
});

describe("the equity of a bot that hedges", () => {
  it("does not jump when the venue goes away, nor at a restart", async () => {
    const stage = await quoting();
    stage.counterparty.sells(10, BID);
    await stage.passes(2_000);
    const { hedges } = stage.rig.bot.context;
    stage.deep.quotes(599_000, 599_010);
    await stage.passes(100);
    const before = hedges.profitCredit;
    expect(before).toBe((lotsValue(1_000, 10) - lotsValue(5, 10)) / 100n);
    stage.deep.streamIsLost();
    await stage.passes(2_000);
    expect(hedges.profitCredit).toBe(before);
    stage.botIsKilled();
    await stage.botStarts(0);
    expect(stage.rig.bot.context.hedges.profitCredit, "no price yet").toBeUndefined();
    await stage.passes(3_000);
    expect(stage.rig.bot.context.hedges.profitCredit).toBe(before);
  });

  it("does not take a move of the market for a loss while the venue is away", async () => {
    const stage = await quoting();
    stage.counterparty.sells(10, BID);
    await stage.passes(10_000);
    const { account } = stage.rig.bot.context;
    const here = account.equity ?? 0n;
    const both = totalEquity(stage.rig.bot.context) ?? 0n;
    stage.deep.streamIsLost();
    await stage.passes(2_000);
    stage.counterparty.rests("BUY", 50, 604_990);
    stage.counterparty.rests("SELL", 50, 605_010);
    await stage.passes(10_000);
    const gainHere = (account.equity ?? 0n) - here;
    const change = (totalEquity(stage.rig.bot.context) ?? 0n) - both;
    expect(gainHere, "0.01 at 500 more").toBeGreaterThan(4_000_000n);
    expect(change > -50_000n && change < 50_000n, `${change}`).toBe(true);
  });

  it("halts at a drawdown that only the hedge has", async () => {
    const stage = await quoting({}, {}, { risk: { maxDrawdownQuote: "5" } });
    stage.counterparty.sells(10, BID);
    await stage.passes(2_000);
    // The hedge loses 10 on its own: 0.01 at 1,000 more.
    stage.deep.quotes(610_000, 610_010);
    await stage.passes(5_000);
    expect(stage.halts()).toEqual(["drawdown"]);
  });
});
