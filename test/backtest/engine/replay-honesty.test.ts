import { describe, expect, it } from "vitest";
import { findPlaceRefusal } from "#backtest/find-place-refusal.js";
import type { ReplayMarket } from "#backtest/replay-market.js";
import type { PlaceAction } from "#exchange/venue.js";
import type { MarkTape, Tape } from "#history/tape.js";
import { TapeBuilder } from "#history/tape-builder.js";
import type { Quote } from "#strategies/intent.js";
import { candles } from "./made-candles.js";
import { GRID, MARKET, NOON_US, quoting, ReplayStage } from "./replay-stage.js";

const S = 1_000_000;
const MS = 1_000;
const MINUTE = 60 * S;
const bid = (ticks: number, lots: number): Quote => ({ side: "BUY", level: 0, ticks, lots });
const ask = (ticks: number, lots: number): Quote => ({ side: "SELL", level: 0, ticks, lots });

/**
 * A constant book at 60,000.0, with a print through our ask at 3 s, then a quiet trade every
 * second.
 */
function quietTape(seconds: number): Tape {
  const tape = new TapeBuilder({ marketId: MARKET, ...GRID });
  tape.snapshot(NOON_US, NOON_US + MS);
  for (let away = 1; away <= 5; away++)
    tape.level("BUY", 600_000 - away, 5).level("SELL", 600_000 + away, 5);
  tape.trade(NOON_US + 3 * S, NOON_US + 3 * S + MS, "BUY", 600_020, 1);
  for (let s = 4; s < seconds; s++)
    tape.trade(NOON_US + s * S, NOON_US + s * S + MS, "BUY", 600_001, 1);
  return tape.build();
}

interface MarkRow {
  readonly atUs: number;
  readonly price: bigint;
  readonly rateE18?: bigint;
  readonly nextFundingUs?: number;
}

/** Marks received a millisecond after they were computed. */
function marksOf(rows: readonly MarkRow[]): MarkTape {
  const credit = BigInt64Array.from(rows.map(({ price }) => price * 1_000_000n));
  return {
    exchangeUs: Float64Array.from(rows.map(({ atUs }) => atUs)),
    localUs: Float64Array.from(rows.map(({ atUs }) => atUs + MS)),
    markCredit: credit,
    indexCredit: credit,
    fundingRateE18: BigInt64Array.from(rows.map(({ rateE18 = 0n }) => rateE18)),
    nextFundingMs: Float64Array.from(rows.map(({ nextFundingUs = 0 }) => nextFundingUs / 1000)),
  };
}

describe("optimistic errors of a backtest", () => {
  it("liquidates an account on candles by a low that it could not survive, though the candle closes where it opened", () => {
    const flat = [600_000, 600_100, 599_000, 600_000] as const;
    const stage = new ReplayStage({
      markets: {
        [MARKET]: candles([
          flat,
          flat,
          flat,
          flat,
          [600_000, 600_100, 560_000, 600_000],
          flat,
          flat,
        ]),
      },
      // 1 bitcoin on 4,000 quote: at 56,000 all of them are lost.
      strategies: {
        [MARKET]: quoting((view) => (view.positionLots === 0 ? [bid(599_500, 1000)] : [])),
      },
      creditQuote: 4_000n,
      sampleUs: MINUTE,
    });
    stage.run.play(NOON_US + 7 * MINUTE);
    expect(stage.told.fills[0]).toMatchObject({ side: "BUY", lots: 1000 });
    expect(stage.told.notes.filter((text) => text.includes("unsafe"))).toHaveLength(1);
    // Bought at 59,950 for a fee of 1 basis point; taken over at 56,000 less 1 %, and 1 % of that
    // on top. The loss exceeds the account, and the report says so.
    expect(stage.run.venue.account.netValue).toBe(
      4_000_000_000n - 59_950_000_000n - 5_995_000n + 55_440_000_000n - 554_400_000n,
    );
    expect(
      stage.told.notes.filter((text) =>
        text.includes("1070.395 below zero: the exchange's insurance would take that over"),
      ),
    ).toHaveLength(1);
  });

  it("shows the bot no mark of a candle's inner prices before the candle has closed", () => {
    const flat = [600_000, 600_000, 600_000, 600_000] as const;
    const stage = new ReplayStage({
      markets: { [MARKET]: candles([flat, flat, [600_000, 700_000, 500_000, 600_000], flat]) },
      strategies: { [MARKET]: quoting(() => []) },
      sampleUs: MINUTE,
    });
    const seen = new Set<number | undefined>();
    for (let atUs = NOON_US + 2 * MINUTE; atUs < NOON_US + 3 * MINUTE; atUs += S) {
      stage.run.play(atUs);
      seen.add(stage.run.bot.context.traders.get(MARKET)?.state.markTicks);
    }
    expect(
      [...seen].filter((ticks) => ticks !== undefined && Math.abs(ticks - 600_000) > 1),
    ).toEqual([]);
  });

  it("pays the funding of a boundary once, though a late mark still names that boundary after it was paid", () => {
    const boundary = NOON_US + 10 * S;
    const rateE18 = 2n * 10n ** 14n;
    const marks = marksOf([
      { atUs: NOON_US, price: 60_000n, rateE18, nextFundingUs: boundary },
      { atUs: boundary - S, price: 60_000n, rateE18, nextFundingUs: boundary },
      { atUs: boundary + 50 * MS, price: 60_000n, rateE18, nextFundingUs: boundary },
      { atUs: boundary + S, price: 60_000n, rateE18, nextFundingUs: boundary + 5 * S },
    ]);
    const stage = new ReplayStage({
      markets: { [MARKET]: { grade: "books", tape: quietTape(20), marks } },
      strategies: {
        [MARKET]: quoting((view) => (view.positionLots === 0 ? [ask(600_010, 100)] : [])),
      },
    });
    stage.run.play(NOON_US + 20 * S);
    expect(stage.told.payments.map(({ atUs }) => atUs)).toEqual([boundary, boundary + 5 * S]);
  });

  // A message about a broken sequence made the trader look for missing updates, while bids and asks
  // were swapped or the snapshot never came.
  it.each([
    [
      "crossed",
      (tape: TapeBuilder) =>
        tape.snapshot(NOON_US, NOON_US).level("BUY", 600_001, 5).level("SELL", 599_999, 5),
      /crossed for 100 %/,
    ],
    [
      "one-sided",
      (tape: TapeBuilder) => tape.snapshot(NOON_US, NOON_US).level("BUY", 600_001, 5),
      /one-sided for 100 %/,
    ],
    [
      "without a snapshot",
      (tape: TapeBuilder) =>
        tape.update(NOON_US, NOON_US).level("BUY", 599_999, 5).level("SELL", 600_001, 5),
      /no snapshot yet/,
    ],
  ])("names the book as the reason why its strategy was never called: %s", (_what, told, why) => {
    const tape = new TapeBuilder({ marketId: MARKET, ...GRID });
    told(tape);
    for (let second = 1; second < 10; second++)
      tape.trade(NOON_US + second * S, NOON_US + second * S, "BUY", 600_001, 1);
    const stage = new ReplayStage({
      markets: { [MARKET]: { grade: "books", tape: tape.build() } },
      strategies: { [MARKET]: quoting(() => [ask(600_009, 10)]) },
    });
    stage.run.play(NOON_US + 9 * S);
    const [never] = stage.run.worthless.filter((text) =>
      text.includes("its strategy was never called"),
    );
    expect(never).toMatch(why);
    expect(never).not.toContain("unbroken sequence");
  });

  // All other offers are gone: the market is moving up, and the strategy sees no two sides to quote
  // between. A bot that renewed its ask after each fill would sell up to its limit at the old
  // price.
  it("sells no more than was quoted while all other offers are gone, and quotes again when they are back", () => {
    const tape = new TapeBuilder({ marketId: MARKET, ...GRID });
    const message = (second: number) => [NOON_US + second * S, NOON_US + second * S + MS] as const;
    tape
      .snapshot(...message(0))
      .level("BUY", 599_999, 5)
      .level("SELL", 600_001, 5);
    for (let second = 1; second < 30; second++) {
      if (second === 5)
        tape
          .update(...message(second))
          .level("SELL", 600_001, 0)
          .level("BUY", 600_005, 5);
      if (second === 20)
        tape
          .update(...message(second))
          .level("SELL", 600_101, 5)
          .level("BUY", 600_095, 5);
      tape.trade(...message(second + 0.5), "BUY", second < 5 ? 600_001 : 600_120, 1);
    }
    const stage = new ReplayStage({
      markets: { [MARKET]: { grade: "books", tape: tape.build() } },
      strategies: { [MARKET]: quoting((view) => [ask((view.asks[0]?.ticks ?? 0) + 9, 10)]) },
    });
    stage.run.play(NOON_US + 29 * S);
    const sold = stage.told.fills.map(({ ticks, atUs }) => [ticks, (atUs - NOON_US) / S]);
    expect(sold.filter(([, second]) => second < 20)).toEqual([[600_010, 5.5]]);
    expect(sold.filter(([, second]) => second > 20).every(([ticks]) => ticks === 600_110)).toBe(
      true,
    );
    expect(sold.length).toBeGreaterThan(2);
  });

  it("delivers a mark to the bot when it arrives, not with its next event", () => {
    const marks = marksOf([
      { atUs: NOON_US, price: 60_000n },
      { atUs: NOON_US + 4_512 * MS, price: 61_000n },
    ]);
    const stage = new ReplayStage({
      markets: { [MARKET]: { grade: "books", tape: quietTape(10), marks } },
      strategies: { [MARKET]: quoting(() => []) },
    });
    stage.run.play(NOON_US + 4_513 * MS + 1);
    expect(stage.run.bot.context.traders.get(MARKET)?.state.markTicks).toBe(610_000);
  });

  it("counts a sell order far below the market at the mark, which is the exposure that it adds", () => {
    const stage = new ReplayStage({
      markets: { [MARKET]: { grade: "books", tape: quietTape(10) } },
      strategies: { [MARKET]: quoting(() => []) },
      creditQuote: 100n,
    });
    stage.run.play(NOON_US + 5 * S);
    const market = stage.run.venue.markets.get(MARKET) as ReplayMarket;
    const sell = {
      kind: "place",
      marketId: MARKET,
      side: "SELL",
      type: "LIMIT",
      timeInForce: "IOC",
      expirationMs: 0,
      ticks: 300_000,
    };
    const refusalOf = (lots: number) =>
      findPlaceRefusal(
        { ...sell, lots } as PlaceAction,
        market,
        stage.run.venue.account,
        NOON_US / 1000,
      );
    // 100 quote at 20 times carry 2,000: 33 lots at 60,000, whatever the order's limit price.
    expect(refusalOf(34)).toMatchObject({ result: "rejected", code: 2012 });
    expect(refusalOf(33)).toBeUndefined();
  });

  it("cancels the quotes of a market once its book has ended, though its trades continue", () => {
    const tape = new TapeBuilder({ marketId: MARKET, ...GRID });
    for (let s = 0; s < 5; s++) {
      tape.snapshot(NOON_US + s * S, NOON_US + s * S + MS);
      for (let away = 1; away <= 5; away++)
        tape.level("BUY", 600_000 - away, 5).level("SELL", 600_000 + away, 5);
    }
    // They fall through whatever is bid at the prices of the book that is gone.
    for (let ms = 5_000; ms < 60_000; ms += 200)
      tape.trade(NOON_US + ms * MS, NOON_US + (ms + 1) * MS, "SELL", 599_900, 1);
    const gap = [NOON_US / 1000 + 4_500, NOON_US / 1000 + 60_000] as const;
    const stage = new ReplayStage({
      markets: { [MARKET]: { grade: "books", tape: tape.build(), gaps: [gap] } },
      strategies: { [MARKET]: quoting(() => [bid(599_950, 1)]) },
    });
    stage.run.play(NOON_US + 60 * S);
    expect(stage.run.venue.markets.get(MARKET)?.bestOpenTicks("BUY")).toBeNaN();
    expect(stage.told.fills.filter(({ atUs }) => atUs > NOON_US + 20 * S)).toEqual([]);
    expect(stage.told.notes.findLast((text) => text.includes("book-unsynchronised"))).toMatch(
      /^halted in/,
    );
    expect(stage.told.notes.find((text) => text.includes("book-unsynchronised"))).toMatch(
      /^not quoting yet in btcusdc, book-unsynchronised: the book has no snapshot yet$/,
    );
  });

  it("cancels the quotes of a candle market once its candles have ended, though another market continues", () => {
    const flat = [600_000, 600_100, 599_900, 600_000] as const;
    const long = Array.from({ length: 20 }, () => flat);
    const shorter = {
      ...candles(long.slice(0, 8)),
      gaps: [[NOON_US / 1000 + 8 * 60_000, NOON_US / 1000 + 20 * 60_000]] as const,
    };
    const stage = new ReplayStage({
      markets: { [MARKET]: shorter, ethusdc: candles(long, "ethusdc") },
      strategies: {
        [MARKET]: quoting(() => [bid(599_000, 100)]),
        ethusdc: quoting(() => [bid(599_000, 100)]),
      },
      sampleUs: MINUTE,
    });
    stage.run.play(NOON_US + 20 * MINUTE);
    const best = (marketId: string) => stage.run.venue.markets.get(marketId)?.bestOpenTicks("BUY");
    expect([best(MARKET), best("ethusdc")]).toEqual([Number.NaN, 599_000]);
    // Within a few intervals of the end, as a stale stream's would live.
    expect(stage.told.quotes.findLast(({ ticks }) => Number.isNaN(ticks))?.atUs).toBeLessThan(
      NOON_US + 12 * MINUTE,
    );
  });
});
