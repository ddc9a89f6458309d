import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findPlaceRefusal } from "#backtest/find-place-refusal.js";
import type { ReplayMarket } from "#backtest/replay-market.js";
import type { PlaceAction } from "#exchange/venue.js";
import type { FundingTape, MarkTape } from "#history/tape.js";
import { ask, bid, books, builder, MS, S, standing, ticking, walking } from "./played-tapes.js";
import { MARKET, NOON_US, quoting, ReplayStage } from "./replay-stage.js";

describe("the money of a replay", () => {
  it("sums its parts to the change of its net value to the unit, whatever happens", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 0, max: 3 }),
        (seed, lots, away) => {
          const stage = new ReplayStage({
            markets: {
              [MARKET]: books(walking(`${seed}`, 8), {
                funding: funding([NOON_US + 5 * S], 1_000_000_000_000_000n),
              }),
            },
            strategies: {
              [MARKET]: quoting((view) => [
                bid(Math.floor(view.midTicks) - away, lots),
                ask(Math.ceil(view.midTicks) + away, lots),
              ]),
            },
            creditQuote: 3_000n,
            fees: { maker: "-0.00005", taker: "0.0005" },
          });
          stage.run.play(NOON_US + 8 * S);
          stage.run.finish();
          for (const { equity, profit } of stage.told.samples) {
            expect((equity - 3_000_000_000n) * 10n ** BigInt(profit.decimals - 6)).toBe(
              profit.total,
            );
          }
          const { account } = stage.run.bot.context;
          expect(account.positionLots(MARKET)).toBe(stage.run.venue.account.positionLots(MARKET));
          expect(account.equity).toBe(stage.run.venue.account.netValue);
        },
      ),
      { numRuns: 12 },
    );
  });

  it("pays funding at its stamp by the mark of that instant, on the position at that time", () => {
    // The published boundary of 2023-04-05: one bitcoin long at 28,155.1 and a rate of 0.0000276
    // pays 0.77708076.
    const tape = standing(builder(), NOON_US, 281_550);
    tape.trade(NOON_US + 3 * S, NOON_US + 3 * S + MS, "SELL", 281_500, 1);
    for (let s = 4; s < 20; s++)
      tape.trade(NOON_US + s * S, NOON_US + s * S + MS, "BUY", 281_551, 1);
    const marks: MarkTape = {
      exchangeUs: Float64Array.of(NOON_US, NOON_US + 9 * S, NOON_US + 11 * S),
      localUs: Float64Array.of(NOON_US + MS, NOON_US + 9 * S + MS, NOON_US + 11 * S + MS),
      markCredit: BigInt64Array.of(28_000_000_000n, 28_155_100_000n, 28_900_000_000n),
      indexCredit: BigInt64Array.of(28_000_000_000n, 28_155_100_000n, 28_900_000_000n),
      fundingRateE18: BigInt64Array.of(0n, 0n, 0n),
      nextFundingMs: Float64Array.of(0, 0, 0),
    };
    const stage = new ReplayStage({
      markets: {
        [MARKET]: books(tape.build(), {
          marks,
          funding: funding([NOON_US + 10 * S], 27_600_000_000_000n),
        }),
      },
      strategies: {
        [MARKET]: quoting((view) => (view.positionLots === 0 ? [bid(281_545, 1000)] : [])),
      },
    });
    stage.run.play(NOON_US + 20 * S);
    expect(stage.told.payments).toEqual([
      {
        marketId: MARKET,
        atUs: NOON_US + 10 * S,
        positionLots: 1000,
        markTicks: 281_551,
        rate: 0.0000276,
        amount: -777_081n,
      },
    ]);
    expect(stage.told.samples.at(-1)?.profit.funding).toBe(-7_770_810n);
  });

  // The stamps of the recorded boundary of 2023-04-05. By the mark of a second before, a long would
  // pay 0.777136; by the rate of that time, 0.775447.
  it.each([
    ["the funding that was recorded", true],
    ["what the marks told", false],
  ])(
    "pays by the mark that still names the boundary, though it is stamped 10 ms after it, %s",
    (_by, isRecorded) => {
      const boundary = NOON_US + 10 * S;
      const tape = standing(builder(), NOON_US, 281_550);
      tape.trade(NOON_US + 3 * S, NOON_US + 3 * S + MS, "SELL", 281_500, 1);
      for (let s = 4; s < 20; s++)
        tape.trade(NOON_US + s * S, NOON_US + s * S + MS, "BUY", 281_551, 1);
      const eightHoursMs = 28_800_000;
      const marks: MarkTape = {
        exchangeUs: Float64Array.of(NOON_US, boundary - 999 * MS, boundary + 10 * MS, boundary + S),
        localUs: Float64Array.of(
          NOON_US + MS,
          boundary - 998 * MS,
          boundary + 11 * MS,
          boundary + S + MS,
        ),
        markCredit: BigInt64Array.of(
          28_150_000_000n,
          28_157_100_000n,
          28_155_100_000n,
          28_155_200_000n,
        ),
        indexCredit: BigInt64Array.of(
          28_165_000_000n,
          28_165_000_000n,
          28_165_000_000n,
          28_165_000_000n,
        ),
        fundingRateE18: BigInt64Array.of(
          27_540_000_000_000n,
          27_540_000_000_000n,
          27_600_000_000_000n,
          27_600_000_000_000n,
        ),
        nextFundingMs: Float64Array.of(
          boundary / MS,
          boundary / MS,
          boundary / MS,
          boundary / MS + eightHoursMs,
        ),
      };
      const funded = isRecorded ? { funding: funding([boundary], 27_600_000_000_000n) } : {};
      const stage = new ReplayStage({
        markets: { [MARKET]: books(tape.build(), { marks, ...funded }) },
        strategies: {
          [MARKET]: quoting((view) => (view.positionLots === 0 ? [bid(281_545, 1000)] : [])),
        },
      });
      stage.run.play(NOON_US + 20 * S);
      expect(stage.told.payments).toMatchObject([
        {
          atUs: boundary,
          positionLots: 1000,
          markTicks: 281_551,
          rate: 0.0000276,
          amount: -777_081n,
        },
      ]);
    },
  );

  // A mark seconds after a boundary is not the price at it: the account would be judged by marks of
  // the future.
  it("never uses a mark stamped a second after the boundary, or after the boundary's own, as the boundary's mark", () => {
    const boundary = NOON_US + 10 * S;
    const paidBy = (first: number, second: number) => {
      const tape = ticking(standing(builder(), NOON_US), NOON_US + 4 * S, NOON_US + 20 * S);
      tape.trade(NOON_US + 3 * S, NOON_US + 3 * S + MS, "SELL", 599_900, 1);
      const marks: MarkTape = {
        exchangeUs: Float64Array.of(NOON_US, boundary + first, boundary + second),
        localUs: Float64Array.of(NOON_US + MS, boundary + first + MS, boundary + second + MS),
        markCredit: BigInt64Array.of(60_000_000_000n, 60_010_000_000n, 60_020_000_000n),
        indexCredit: BigInt64Array.of(60_000_000_000n, 60_000_000_000n, 60_000_000_000n),
        fundingRateE18: BigInt64Array.of(10n ** 14n, 10n ** 14n, 10n ** 14n),
        nextFundingMs: Float64Array.of(boundary / MS, boundary / MS, boundary / MS),
      };
      const stage = new ReplayStage({
        markets: {
          [MARKET]: books(tape.build(), { marks, funding: funding([boundary], 10n ** 14n) }),
        },
        strategies: {
          [MARKET]: quoting((view) => (view.positionLots === 0 ? [bid(599_950, 1000)] : [])),
        },
      });
      stage.run.play(NOON_US + 20 * S);
      return stage.told.payments.map(({ markTicks }) => markTicks);
    };
    expect(paidBy(S, 2 * S)).toEqual([600_000]);
    expect(paidBy(0, 10 * MS)).toEqual([600_100]);
    expect(paidBy(0, 0)).toEqual([600_200]);
    expect(paidBy(S - 1, S)).toEqual([600_100]);
    expect(paidBy(-S, 300 * MS)).toEqual([600_200]);
  });

  it("pays the funding that the marks announced, where no paid funding was recorded", () => {
    const tape = standing(builder(), NOON_US);
    tape.trade(NOON_US + 3 * S, NOON_US + 3 * S + MS, "BUY", 600_020, 1);
    ticking(tape, NOON_US + 4 * S, NOON_US + 20 * S);
    const marks: MarkTape = {
      exchangeUs: Float64Array.of(NOON_US, NOON_US + 9 * S, NOON_US + 10 * S + 10 * MS),
      localUs: Float64Array.of(NOON_US + MS, NOON_US + 9 * S + MS, NOON_US + 10 * S + 11 * MS),
      markCredit: BigInt64Array.of(60_000_000_000n, 60_000_000_000n, 60_000_000_000n),
      indexCredit: BigInt64Array.of(60_000_000_000n, 60_000_000_000n, 60_000_000_000n),
      fundingRateE18: BigInt64Array.of(10n ** 14n, 2n * 10n ** 14n, 9n * 10n ** 14n),
      nextFundingMs: Float64Array.of(
        NOON_US / 1000 + 10_000,
        NOON_US / 1000 + 10_000,
        NOON_US / 1000 + 30_000,
      ),
    };
    const stage = new ReplayStage({
      markets: { [MARKET]: books(tape.build(), { marks }) },
      strategies: {
        [MARKET]: quoting((view) => (view.positionLots === 0 ? [ask(600_010, 100)] : [])),
      },
    });
    stage.run.play(NOON_US + 20 * S);
    // Short 0.1 at 60,000: 6,000 quote, of which the newest rate before the boundary, 0.0002, is
    // received.
    expect(stage.told.payments).toMatchObject([{ positionLots: -100, amount: 1_200_000n }]);
  });

  it("liquidates an account that its own formulas call unsafe: orders first, then the position at its discount", () => {
    const tape = standing(builder(), NOON_US);
    tape.trade(NOON_US + 3 * S, NOON_US + 3 * S + MS, "SELL", 599_900, 1);
    ticking(tape, NOON_US + 4 * S, NOON_US + 5 * S);
    tape.snapshot(NOON_US + 6 * S, NOON_US + 6 * S + MS);
    for (let away = 1; away <= 5; away++)
      tape.level("BUY", 570_000 - away, 5).level("SELL", 570_000 + away, 5);
    for (let s = 7; s < 15; s++)
      tape.trade(NOON_US + s * S, NOON_US + s * S + MS, "BUY", 570_001, 1);
    const stage = new ReplayStage({
      markets: { [MARKET]: books(tape.build()) },
      // 1 bitcoin on 4,000 quote of credit: at 57,000 it has lost 3,000 of them, and must cover
      // 1,710.
      strategies: {
        [MARKET]: quoting((view) =>
          view.positionLots === 0 ? [bid(599_950, 1000)] : [bid(500_000, 10)],
        ),
      },
      creditQuote: 4_000n,
      fees: { maker: "0", taker: "0.0005" },
      bot: { risk: { maxDrawdownQuote: "1000000" } },
    });
    stage.run.play(NOON_US + 15 * S);
    expect(stage.told.notes.filter((text) => text.includes("unsafe"))).toHaveLength(1);
    const { account } = stage.run.venue;
    expect(account.positionLots(MARKET)).toBe(0);
    expect(stage.run.venue.isLiquidated).toBe(true);
    // Bought at 59,995; taken over at 57,000 less 1 %, and 1 % of that on top.
    expect(account.netValue).toBe(
      4_000_000_000n - 59_995_000_000n + 56_430_000_000n - 564_300_000n,
    );
    expect(stage.told.samples.at(-1)?.profit.total).toBe((account.netValue - 4_000_000_000n) * 10n);
    expect(stage.run.bot.context.account.positionLots(MARKET)).toBe(0);
  });

  it("sends no order that exceeds the account's margin, and the exchange would refuse it", () => {
    const stage = new ReplayStage({
      markets: {
        [MARKET]: books(
          ticking(standing(builder(), NOON_US), NOON_US + S, NOON_US + 5 * S).build(),
        ),
      },
      strategies: { [MARKET]: quoting(() => [bid(599_995, 1000)]) },
      creditQuote: 100n,
    });
    stage.run.play(NOON_US + 5 * S);
    expect(stage.told.actions).toEqual([]);
    const market = stage.run.venue.markets.get(MARKET);
    const order = {
      kind: "place",
      marketId: MARKET,
      side: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      expirationMs: 0,
    } as PlaceAction;
    const refusalOf = (ticks: number, lots: number) =>
      findPlaceRefusal(
        { ...order, ticks, lots },
        market as ReplayMarket,
        stage.run.venue.account,
        NOON_US / 1000,
      );
    // 100 quote at 20 times carry 2,000: 33 lots at 60,000 are 1,980.
    expect(refusalOf(600_000, 34)).toMatchObject({ result: "rejected", code: 2012 });
    expect(refusalOf(600_000, 33)).toBeUndefined();
    expect(refusalOf(600_000, 2_000_000)).toMatchObject({ result: "rejected", code: 2016 });
  });
});

function funding(atUs: readonly number[], rateE18: bigint): FundingTape {
  return { timeUs: Float64Array.from(atUs), rateE18: BigInt64Array.from(atUs.map(() => rateE18)) };
}
