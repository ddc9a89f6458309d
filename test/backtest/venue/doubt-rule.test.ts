import { describe, expect, it } from "vitest";
import type { AmbiguousFillRule } from "#backtest/ambiguous-fill-rule.js";
import { FillTotals } from "#backtest/fill-totals.js";
import type { MarketRecorder } from "#backtest/market-recorder.js";
import type { RunObserver } from "#backtest/run-observer.js";
import { RunRecorder } from "#backtest/run-recorder.js";
import { Instrument } from "#core/instrument.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Tape } from "#history/tape.js";
import { TapeBuilder } from "#history/tape-builder.js";
import type { MarketView } from "#market/view.js";
import type { Quote } from "#strategies/intent.js";
import { GRID, MARKET, NOON_US, quoting, ReplayStage } from "../engine/replay-stage.js";

const MS = 1_000;
const SECONDS = 20;
const FEES = { maker: "-0.00006", taker: "0.00018" };

/**
 * A book that is published every 25 ms and moves by up to three ticks a third of the times, with
 * sellers' trades at its bids.
 */
function moving(): Tape {
  const random = seededRandom("a book that moves");
  const tape = new TapeBuilder({ marketId: MARKET, ...GRID });
  tape
    .snapshot(NOON_US, NOON_US + MS)
    .level("BUY", 599_999, 5)
    .level("SELL", 600_001, 5);
  let mid = 600_000;
  for (let ms = 25; ms < SECONDS * 1000; ms += 25) {
    const atUs = NOON_US + ms * MS;
    const lots = 5 + Math.floor(random.uniform() * 5);
    tape
      .update(atUs, atUs + 2 * MS)
      .level("BUY", mid - 1, 0)
      .level("SELL", mid + 1, 0);
    if (random.uniform() < 0.3) mid += Math.round((random.uniform() - 0.5) * 6);
    tape.level("BUY", mid - 1, lots).level("SELL", mid + 1, lots + 1);
    if (ms % 200 === 0) tape.trade(atUs + MS, atUs + 3 * MS, "SELL", mid - 1, 40);
  }
  return tape.build();
}

const tight = (view: MarketView): readonly Quote[] => [
  { side: "BUY", level: 0, ticks: Math.floor(view.midTicks), lots: 10 },
  { side: "SELL", level: 0, ticks: Math.ceil(view.midTicks) + 1, lots: 10 },
];

function run(
  doubtful: AmbiguousFillRule,
  timeInForce: "GTT" | "POST_ONLY",
  fees = FEES,
  observer?: RunObserver,
) {
  const stage = new ReplayStage({
    markets: { [MARKET]: { grade: "books", tape: moving(), marks: undefined } as never },
    strategies: { [MARKET]: quoting(tight) },
    bot: { quotes: { timeInForce } },
    fees,
    fills: { doubtful },
    ...(observer === undefined ? {} : { observer }),
  });
  stage.run.play(NOON_US + SECONDS * 1_000_000);
  stage.run.finish();
  const totals = new FillTotals();
  for (const fill of stage.told.fills) totals.add(fill);
  return { fills: stage.told.fills, totals, profit: stage.run.venue.account.profit() };
}

describe("a bot that quotes GTT near the middle, on a book published every 25 ms", () => {
  const [honest, flattering] = [run("conservative", "GTT"), run("by-book", "GTT")];

  it("fills the same orders by either rule, for the same causes, at the orders' own limits", () => {
    const of = ({ fills }: typeof honest) =>
      fills.map(({ orderId, side, ticks, lots, cause, atUs }) => [
        orderId,
        side,
        ticks,
        lots,
        cause,
        atUs,
      ]);
    expect(of(honest)).toEqual(of(flattering));
    expect(honest.fills.length).toBeGreaterThan(30);
  });

  it("pays a taker's fee where it may have taken: otherwise the report shows rebates where the account pays", () => {
    const { asTakers, asMakers } = honest.totals.doubtful;
    expect(asTakers.fills).toBeGreaterThan(10);
    expect(asMakers.fills).toBe(0);
    for (const { ambiguity, isMaker, cause, fee, quote } of honest.fills) {
      expect(isMaker).toBe(cause !== "taker" && ambiguity === undefined);
      expect(fee > 0n).toBe(!isMaker && quote > 0n);
    }
    expect(asTakers.fees > 0n && asTakers.feesOtherwise < 0n).toBe(true);
  });

  it("reports the difference: the profits of the two rules differ by exactly the alternative fees", () => {
    const { asTakers } = honest.totals.doubtful;
    const { asMakers } = flattering.totals.doubtful;
    expect([asMakers.fills, asMakers.lots, asMakers.spread]).toEqual([
      asTakers.fills,
      asTakers.lots,
      asTakers.spread,
    ]);
    expect(honest.totals.all.fees - flattering.totals.all.fees).toBe(
      asMakers.feesOtherwise - asMakers.fees,
    );
    const scale = 10n ** BigInt(honest.profit.decimals - 6);
    expect(flattering.profit.fees - honest.profit.fees).toBe(
      (asMakers.feesOtherwise - asMakers.fees) * scale,
    );
    for (const { profit } of [honest, flattering]) {
      const { total, transfers: _, decimals: __, ...parts } = profit;
      expect(Object.values(parts).reduce((sum, part) => sum + part, 0n)).toBe(total);
    }
  });
});

describe("where makers pay more than takers", () => {
  it("charges a maker's fee for an order that may have rested or taken: otherwise the worst case were the cheaper one", () => {
    const { fills } = run("conservative", "GTT", { maker: "0.0005", taker: "-0.0001" });
    const doubtful = fills.filter(({ ambiguity }) => ambiguity !== undefined);
    expect(doubtful.length).toBeGreaterThan(10);
    for (const { fee, ambiguity } of doubtful)
      expect(fee > 0n && (ambiguity?.feeOtherwise ?? 0n) < 0n).toBe(true);
  });
});

it("where takers have a rebate too, an ambiguous fill of an order that may take gets the smaller of both", () => {
  const { fills } = run("conservative", "GTT", { maker: "-0.0002", taker: "-0.0001" });
  const doubtful = fills.filter(({ ambiguity }) => ambiguity !== undefined);
  expect(doubtful.length).toBeGreaterThan(10);
  for (const { fee, quote, ambiguity } of doubtful) {
    expect([-quote / 10_000n, -quote / 10_000n - 1n]).toContain(fee);
    expect((ambiguity?.feeOtherwise ?? 0n) < fee).toBe(true);
  }
});

describe("the split of an ambiguous fill's profit", () => {
  it("has the same adverse selection by either rule: the rule changes the fees and nothing else", () => {
    const split = (doubtful: AmbiguousFillRule) => {
      const instruments = new Map([
        [
          MARKET,
          new Instrument({ marketId: MARKET, ...GRID, creditDecimals: 6, paperDecimals: 9 }),
        ],
      ]);
      const recorder = new RunRecorder({
        startUs: NOON_US,
        instruments,
        adverseSelectionMs: 1_000,
      });
      run(doubtful, "GTT", FEES, recorder);
      const {
        total: _,
        fees: __,
        ...parts
      } = (recorder.markets.get(MARKET) as MarketRecorder).profit;
      return parts;
    };
    expect(split("conservative")).toEqual(split("by-book"));
    expect(split("conservative").adverseSelection).not.toBe(0n);
  });
});

describe("a bot that quotes POST_ONLY", () => {
  const [honest, flattering] = [run("conservative", "POST_ONLY"), run("by-book", "POST_ONLY")];

  it("is a maker by either rule, without rebate for fills that may have been refusals live", () => {
    expect(honest.fills.length).toBe(flattering.fills.length);
    expect(honest.totals.doubtful.postOnly.fills).toBeGreaterThan(0);
    for (const { isMaker, ambiguity, fee } of honest.fills) {
      expect(isMaker).toBe(true);
      expect(fee < 0n).toBe(ambiguity === undefined);
    }
    expect(flattering.fills.every(({ fee }) => fee < 0n)).toBe(true);
  });

  it("reports the difference between the rules to the unit", () => {
    const { postOnly, asTakers, asMakers } = honest.totals.doubtful;
    expect([asTakers.fills, asMakers.fills, postOnly.fees]).toEqual([0, 0, 0n]);
    expect(postOnly.feesOtherwise).toBe(flattering.totals.doubtful.postOnly.fees);
    expect(flattering.totals.doubtful.postOnly.feesOtherwise).toBe(0n);
    expect(honest.totals.all.fees - flattering.totals.all.fees).toBe(-postOnly.feesOtherwise);
  });

  it("pays its fee for ambiguous fills too where makers pay one", () => {
    const { fills } = run("conservative", "POST_ONLY", { maker: "0.0001", taker: "0.0005" });
    expect(fills.some(({ ambiguity }) => ambiguity !== undefined)).toBe(true);
    expect(
      fills.every(({ fee, quote }) => fee === quote / 10_000n || fee === quote / 10_000n + 1n),
    ).toBe(true);
  });
});
