import { describe, expect, it } from "vitest";
import { type BotStatus, buildBotStatus } from "#bot/bot-status.js";
import type { MarketStatus } from "#bot/market-status.js";
import { decimalToScaled } from "#core/instrument.js";
import { AcquiringStage } from "./acquiring-stage.js";
import { ASK, BID, MARKET, Stage } from "./stage.js";

const scaled = (quote: string | null | undefined): bigint => decimalToScaled(quote ?? "none", 18);

function marketOf(stage: Stage): MarketStatus {
  const market = buildBotStatus(stage.rig.bot).markets[MARKET];
  if (market === undefined) throw new Error("no market");
  return market;
}

/** The figures of the position, which are all null or all known. */
const figuresOf = ({ entryPrice, notionalQuote, unrealisedQuote, realisedQuote }: MarketStatus) => [
  entryPrice,
  notionalQuote,
  unrealisedQuote,
  realisedQuote,
];

describe("the quotes of a status", () => {
  it("have each own order with its distance to the touch, the best first", async () => {
    const stage = new Stage();
    stage.wants({ bid: BID, ask: null });
    await stage.botStarts();
    stage.counterparty.rests("BUY", 3, BID + 6);
    await stage.passes(1_500);
    const [only, ...others] = marketOf(stage).quotes;
    expect(others).toEqual([]);
    expect(only).toMatchObject({ side: "BUY", price: "59999", amountBase: "0.01", phase: "open" });
    // 0.6 quote behind a best bid of 59,999.6.
    expect(only?.distanceBps).toBe(0.1);
    expect(only?.level).toBe(0);
    expect(only?.ageMs).toBeGreaterThan(1_500);
    const [resting] = stage.resting();
    expect(only?.clientId).toBe(resting?.terms.hash);
    stage.wants();
    await stage.passes(1_500);
    expect(
      marketOf(stage).quotes.map(({ side, price, distanceBps }) => [side, price, distanceBps]),
    ).toEqual([
      ["BUY", "59999", 0.1],
      ["SELL", "60001", 0],
    ]);
  });

  it("shrink with a fill, and lose the distance with the book", async () => {
    const stage = new Stage();
    await stage.botStarts();
    stage.counterparty.buys(4, ASK);
    // The bot replaces what a fill has left of a quote.
    for (let waited = 0; waited < 1_000 && marketOf(stage).fills === 0; waited += 5)
      await stage.passes(5);
    expect(marketOf(stage).quotes.at(-1)).toMatchObject({
      side: "SELL",
      amountBase: "0.006",
      phase: "cancelling",
    });
    const all = buildBotStatus(stage.rig.bot);
    expect(all.markets[MARKET]).toMatchObject({ fills: 1, fillsPerMinute: 1 });
    expect(all.counts.fills).toBe(1);
    stage.rig.bot.context.traders.get(MARKET)?.invalidate("the test takes the book away");
    const { quotes, bookAgeMs, bestBid } = marketOf(stage);
    expect([bookAgeMs, bestBid]).toEqual([undefined, undefined]);
    expect(quotes.length).toBe(2);
    expect(quotes.map(({ distanceBps }) => distanceBps)).toEqual([undefined, undefined]);
  });
});

describe("the money of a status", () => {
  it("splits the profit of a run that began flat into realised and unrealised, to the last digit", async () => {
    const stage = new Stage({ market: { funding: { mode: "fixed", intervalMs: 10_000 } } });
    const readings: BotStatus[] = [];
    stage.listeners.push(() => {
      if (stage.rig.bot.phase === "running") readings.push(buildBotStatus(stage.rig.bot));
    });
    await stage.botStarts();
    for (let round = 0; round < 15; round++) {
      stage.wants({ bid: BID - 30 * round, ask: ASK - 20 * round });
      await stage.passes(700);
      stage.counterparty.sells(3, BID - 30 * round);
      if (round > 7) stage.counterparty.buys(5, ASK - 20 * round);
      await stage.passes(700);
    }
    await stage.passes(3_000);
    const known = readings.filter(({ realisedQuote }) => realisedQuote !== undefined);
    expect(known.length).toBeGreaterThan(100);
    for (const status of known) {
      const { markets, pnlTotalQuote, realisedQuote, unrealisedQuote } = status;
      expect(scaled(realisedQuote) + scaled(unrealisedQuote)).toBe(scaled(pnlTotalQuote));
      const market = markets[MARKET];
      expect([market?.realisedQuote, market?.unrealisedQuote]).toEqual([
        realisedQuote,
        unrealisedQuote,
      ]);
      // The first check of the equity comes a moment after the first confirmation.
      if (status.peakEquityQuote === undefined) expect(status.drawdownQuote).toBeUndefined();
      else
        expect(scaled(status.drawdownQuote)).toBe(
          scaled(status.peakEquityQuote) - scaled(status.equityQuote),
        );
    }
    const last = known.at(-1);
    const { positionBase, entryPrice, unrealisedQuote, markQuote, notionalQuote } =
      last?.markets[MARKET] ?? {};
    expect(Number(positionBase)).not.toBe(0);
    expect(last?.openPositions).toMatchObject([{ entryPrice, notionalQuote }]);
    // The exchange's own figure, at the same mark.
    expect(Number(unrealisedQuote)).toBeCloseTo(
      Number(positionBase) * (Number(markQuote) - Number(entryPrice)),
      5,
    );
    expect(Number(last?.drawdownQuote)).toBeGreaterThan(0);
  });

  it("has the gain of a position from before the start in unrealised, and not in realised", async () => {
    const stage = new Stage();
    await stage.botStarts();
    stage.counterparty.sells(8, BID);
    await stage.passes(10_000);
    const before = marketOf(stage);
    await stage.botStops();
    await stage.botStarts();
    const after = marketOf(stage);
    expect(after.entryPrice).toBe(before.entryPrice);
    expect(after.unrealisedQuote).not.toBe("0");
    expect([after.realisedQuote, after.pnlTotalQuote]).toEqual(["0", "0"]);
    stage.wants({ bid: null });
    stage.counterparty.buys(8, ASK);
    await stage.passes(3_000);
    const flat = marketOf(stage);
    expect(figuresOf(flat).slice(0, 3)).toEqual([null, "0", "0"]);
    // 8 lots at 2.0 quote, and the fees of the sale; the gain before the start is not this run's.
    expect(scaled(flat.realisedQuote) - scaled(flat.pnlTotalQuote)).toBe(
      scaled(after.unrealisedQuote),
    );
    expect(scaled(flat.realisedQuote)).toBe(
      decimalToScaled("0.016", 18) + scaled(flat.pnlQuote.fees),
    );
  });

  it("is null, and never zero, before the exchange has reported the account", async () => {
    const stage = new Stage();
    await stage.botStarts(3_000, (network) => {
      network.down = true;
    });
    const status = buildBotStatus(stage.rig.bot);
    expect(figuresOf(marketOf(stage))).toEqual([null, null, null, null]);
    expect([status.unrealisedQuote, status.realisedQuote, status.drawdownQuote]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("is null while the position is unknown, and the sums are missing", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    stage.counterparty.buys(4, ASK);
    await stage.passes(3_000);
    expect(figuresOf(marketOf(stage))).not.toContain(null);
    stage.network.every("balances", { is: "answer lost" });
    stage.applies({ lots: 60, credit: -1_000_000n });
    await stage.passes(1_000);
    const status = buildBotStatus(stage.rig.bot);
    expect(stage.halts()).toContain("position-unknown");
    expect(figuresOf(marketOf(stage))).toEqual([null, null, null, null]);
    expect([status.unrealisedQuote, status.realisedQuote]).toEqual([undefined, undefined]);
  });
});

it("a status says when it is from: its turn, the time of the turn, and the start", async () => {
  const stage = new Stage();
  const startedAtMs = stage.clock.nowMs();
  await stage.botStarts();
  const first = buildBotStatus(stage.rig.bot);
  expect(first.startedAtMs).toBe(startedAtMs);
  expect(first.turn).toBeGreaterThan(10);
  expect(buildBotStatus(stage.rig.bot), "nothing happens between turns").toEqual(first);
  await stage.passes(1_000);
  const second = buildBotStatus(stage.rig.bot);
  expect(second.turn).toBeGreaterThan(first.turn);
  expect(second.atMs).toBeGreaterThan(first.atMs + 500);
  expect(second.atMs).toBeLessThanOrEqual(stage.clock.nowMs());
});
