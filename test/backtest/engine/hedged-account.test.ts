import { expect, it } from "vitest";
import { constantLatency } from "#backtest/latency.js";
import { ask, bid, books, builder, MS, S } from "./played-tapes.js";
import { NOON_US, quoting, ReplayStage } from "./replay-stage.js";

/** A market that falls from 60,000 by a third between two marks, or stays. */
function market(toMid: number, fundingRate?: number) {
  const tape = builder();
  tape
    .snapshot(NOON_US, NOON_US + MS)
    .level("BUY", 599_999, 5_000)
    .level("SELL", 600_001, 5_000);
  for (const [side, ticks] of [
    ["BUY", 600_010],
    ["SELL", 599_990],
  ] as const)
    tape.trade(NOON_US + 2 * S, NOON_US + 2 * S + MS, side, ticks, 5_000);
  tape
    .update(NOON_US + 5_500 * MS, NOON_US + 5_501 * MS)
    .level("BUY", 599_999, 0)
    .level("SELL", 600_001, 0);
  tape.level("BUY", toMid - 1, 5_000).level("SELL", toMid + 1, 5_000);
  tape.trade(NOON_US + 9 * S, NOON_US + 9 * S + MS, "BUY", toMid + 1, 1);
  const paid = {
    timeUs: Float64Array.of(NOON_US + 7 * S),
    rateE18: BigInt64Array.of(BigInt((fundingRate ?? 0) * 1e6) * 10n ** 12n),
  };
  return books(tape.build(), fundingRate === undefined ? {} : { funding: paid });
}

/** An account of 20,000 that is long one bitcoin in one market and short one in the other. */
function hedged(histories: Readonly<Record<string, ReturnType<typeof market>>>) {
  const { run, told } = new ReplayStage({
    markets: histories,
    strategies: {
      long: quoting((view) => (view.positionLots === 0 ? [bid(599_999, 1_000)] : [])),
      short: quoting((view) => (view.positionLots === 0 ? [ask(600_001, 1_000)] : [])),
    },
    latency: constantLatency(1, 1),
    creditQuote: 20_000n,
  });
  run.play(NOON_US + 10 * S);
  expect(told.fills.map(({ marketId, lots }) => [marketId, lots]).sort()).toEqual([
    ["long", 1_000],
    ["short", 1_000],
  ]);
  return { isLiquidated: run.venue.isLiquidated, net: run.venue.account.netValue };
}

// A hedge whose long side was first in the file was liquidated at its mark, before the other
// market's mark of the same instant was applied.
it("judges an account by all marks of an instant, in any order of its markets", () => {
  const [one, other] = [
    hedged({ long: market(400_000), short: market(400_000) }),
    hedged({ short: market(400_000), long: market(400_000) }),
  ];
  expect(one.isLiquidated).toBe(false);
  expect(one).toEqual(other);
  expect(hedged({ long: market(400_000), short: market(600_000) }).isLiquidated).toBe(true);
});

it("pays all funding of an instant before it judges the account", () => {
  const paying = () => market(600_000, 0.4);
  const [one, other] = [
    hedged({ long: paying(), short: paying() }),
    hedged({ short: paying(), long: paying() }),
  ];
  expect(one.isLiquidated).toBe(false);
  expect(one).toEqual(other);
  expect(hedged({ long: paying(), short: market(600_000) }).isLiquidated).toBe(true);
});
