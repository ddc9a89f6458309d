import { describe, expect, it } from "vitest";
import { constantLatency } from "#backtest/latency.js";
import type { MarkTape } from "#history/tape.js";
import { funding } from "#strategies/funding.js";
import { books, builder, MS, S, standing, ticking } from "../../backtest/engine/played-tapes.js";
import { MARKET, NOON_US, ReplayStage } from "../../backtest/engine/replay-stage.js";

const SECONDS = 300;
const PERIOD_S = 60;
const MARK = 60_000_000_000n;

/** Marks every second that announce a rate, paid once a minute. */
function marks(rateE18: bigint): MarkTape {
  const stamps = Array.from({ length: SECONDS }, (_, second) => NOON_US + second * S);
  return {
    exchangeUs: Float64Array.from(stamps),
    localUs: Float64Array.from(stamps, (us) => us + MS),
    markCredit: BigInt64Array.from(stamps, () => MARK),
    indexCredit: BigInt64Array.from(stamps, () => MARK),
    fundingRateE18: BigInt64Array.from(stamps, () => rateE18),
    nextFundingMs: Float64Array.from(
      stamps,
      (us) => (NOON_US + (Math.floor((us - NOON_US) / S / PERIOD_S) + 1) * PERIOD_S * S) / 1000,
    ),
  };
}

/** A strategy in a market that goes nowhere, where both sides trade twice a second. */
function play(rateE18: bigint, makerFee = "0") {
  const tape = ticking(standing(builder(), NOON_US), NOON_US + S, NOON_US + SECONDS * S);
  const stage = new ReplayStage({
    markets: { [MARKET]: books(tape.build(), { marks: marks(rateE18) }) },
    strategies: {
      [MARKET]: funding.bind({
        sizeBase: 0.01,
        halfSpreadTicks: 1,
        inventoryRangeBase: 0.05,
        riskAversion: 1e-6,
        holdingMs: 120_000,
        sigma: { sigmaBps: 0.5 },
        rate: { periodMs: 60_000, residualBps: 1 },
      }),
    },
    bot: {
      markets: {
        [MARKET]: {
          strategy: "funding",
          params: {},
          limits: { maxPositionBase: "0.1", maxOrderBase: "0.05" },
        },
      },
    },
    fees: { maker: makerFee, taker: "0.0005" },
    latency: constantLatency(1, 1),
  });
  stage.run.play(NOON_US + SECONDS * S);
  stage.run.finish();
  return { ...stage.told, venue: stage.run.venue };
}

// The worst fault would be the sign: a bot on the side that pays, which calls it carry.
describe("a market maker that leans towards the funding, in a replay", () => {
  it.each([
    ["short where longs pay", 100_000_000_000_000n, -1],
    ["long where shorts pay", -100_000_000_000_000n, 1],
  ])("is %s, and its account earns what the rates say, to the unit", (_side, rateE18, sign) => {
    const { payments, samples, venue, fills } = play(rateE18);
    expect(payments).toHaveLength(5);
    let earned = 0n;
    for (const { positionLots, amount } of payments) {
      expect(Math.sign(positionLots)).toBe(sign);
      // One lot is 0.001 base: 60 quote, of which one basis point is 0.006.
      expect(amount).toBe(6_000n * BigInt(Math.abs(positionLots)));
      earned += amount;
    }
    // One lot trades each second, and the target is the limit, 100 lots.
    const sizes = payments.map(({ positionLots }) => Math.abs(positionLots));
    expect(sizes).toEqual(sizes.toSorted((one, other) => one - other));
    expect(sizes.at(-1)).toBeGreaterThan(40);
    const { profit } = samples.at(-1) ?? {};
    expect(profit?.funding).toBe(earned * 10n ** BigInt((profit?.decimals ?? 6) - 6));
    expect(fills.length).toBeGreaterThan(0);
    expect(venue.account.netValue).toBe(100_000_000_000n + (profit?.total ?? 0n) / 10n);
  });

  it("holds nothing for a rate that does not pay its fees", () => {
    // Held at two fundings in the mean, for two basis points, which cost four.
    const { payments } = play(100_000_000_000_000n, "0.0003");
    for (const { positionLots } of payments) expect(Math.abs(positionLots)).toBeLessThanOrEqual(20);
  });
});
