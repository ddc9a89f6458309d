import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EquitySample, ReplayFill, RunObserver } from "#backtest/run-observer.js";
import { RunRecorder } from "#backtest/run-recorder.js";
import { REPORT_PARTS } from "#backtest/split-profit.js";
import { RunError } from "#core/errors.js";
import { BTC, DUST, tellSampleRun } from "./sample-run.js";

const START_US = 1_722_470_400_000_000;
const DAY_US = 86_400_000_000;
const ADVERSE_MS = 10_000;
const START_EQUITY = 50_000_000_000n;

/** Everything that a recorder received, kept whole. */
class Told {
  readonly fills: ReplayFill[] = [];
  readonly samples: EquitySample[] = [];
  readonly mids = new Map<string, { atUs: number; mid: number }[]>();
  readonly actions: string[] = [];
  funding = 0n;

  constructor(readonly recorder: RunRecorder) {}

  midsOf(marketId: string): { atUs: number; mid: number }[] {
    const mids = this.mids.get(marketId) ?? [];
    this.mids.set(marketId, mids);
    return mids;
  }

  readonly observer: RunObserver = {
    touch: (marketId, atUs, bid, ask) => {
      this.midsOf(marketId).push({ atUs, mid: bid + ask });
      this.recorder.touch(marketId, atUs, bid, ask);
    },
    fill: (fill) => {
      this.fills.push(fill);
      this.recorder.fill(fill);
    },
    equity: (sample) => {
      this.samples.push(sample);
      this.recorder.equity(sample);
    },
    quote: (...quote) => this.recorder.quote(...quote),
    action: (marketId, atUs, kind) => {
      this.actions.push(kind);
      this.recorder.action(marketId, atUs, kind);
    },
    prediction: (...prediction) => this.recorder.prediction(...prediction),
    funding: (payment) => {
      this.funding += payment.amount;
      this.recorder.funding(payment);
    },
    note: (...note) => this.recorder.note(...note),
  };
}

function recorderOf(startUs = START_US): RunRecorder {
  return new RunRecorder({
    startUs,
    instruments: new Map([BTC, DUST].map((instrument) => [instrument.marketId, instrument])),
    adverseSelectionMs: ADVERSE_MS,
  });
}

function ranFor(seed: string, seconds: number, startUs = START_US) {
  const told = new Told(recorderOf(startUs));
  const endUs = tellSampleRun(
    {
      seed,
      startUs,
      seconds,
      stepSeconds: 5,
      sampleSeconds: 60,
      instruments: [BTC, DUST],
      startEquity: START_EQUITY,
    },
    told.observer,
  );
  return { told, recorder: told.recorder, finished: told.recorder.end(endUs), endUs };
}

/** From the definition, in units of the profit. */
function adverseSelectionOf(told: Told, marketId: string, endUs: number, decimals: number): bigint {
  const instrument = marketId === BTC.marketId ? BTC : DUST;
  const halfTickLot =
    (instrument.creditNumerator * 10n ** BigInt(decimals - 6)) /
    (2n * instrument.creditDenominator);
  let sum = 0n;
  for (const fill of told.fills.filter((one) => one.marketId === marketId && one.isMaker)) {
    const untilUs = Math.min(fill.atUs + ADVERSE_MS * 1000, endUs);
    const after = told.midsOf(marketId).findLast(({ atUs }) => atUs <= untilUs);
    sum +=
      BigInt((fill.side === "BUY" ? 1 : -1) * fill.lots) *
      BigInt((after?.mid ?? Number.NaN) - fill.midHalfTicks) *
      halfTickLot;
  }
  return sum;
}

describe("the figures of a recorder", () => {
  it("splits every unit of the equity's change into its parts, adverse selection as defined", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 200 }),
        (seed, steps) => {
          const { told, recorder, finished, endUs } = ranFor(String(seed), steps * 5);
          const { profit, last } = finished;
          const scale = 10n ** BigInt(last.profit.decimals - 6);
          expect(REPORT_PARTS.reduce((sum, part) => sum + profit[part], 0n)).toBe(
            (last.equity - START_EQUITY) * scale,
          );
          expect(finished.startEquity).toBe(START_EQUITY);
          let adverse = 0n;
          for (const marketId of recorder.markets.keys()) {
            const ofMarket = recorder.markets.get(marketId)?.profit.adverseSelection;
            expect(ofMarket).toBe(adverseSelectionOf(told, marketId, endUs, last.profit.decimals));
            adverse += ofMarket ?? 0n;
          }
          expect(profit.adverseSelection).toBe(adverse);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("counts fills, orders, turnover and funding as a list of everything that happened would", () => {
    const { told, recorder } = ranFor("counts", 9 * 3600);
    expect(told.fills.length).toBeGreaterThan(300);
    for (const [marketId, market] of recorder.markets) {
      const fills = told.fills.filter((fill) => fill.marketId === marketId);
      const quoteOf = (some: readonly ReplayFill[]): bigint =>
        some.reduce((sum, { quote }) => sum + quote, 0n);
      expect(market.fills.all.quote).toBe(quoteOf(fills));
      expect(market.fills.buys.fills + market.fills.sells.fills).toBe(fills.length);
      for (const [cause, sum] of market.fills.byCause)
        expect(sum.quote).toBe(quoteOf(fills.filter((fill) => fill.cause === cause)));
      expect(market.fills.ordersFilled).toBe(new Set(fills.map(({ orderId }) => orderId)).size);
      const positions = [0, ...fills.map(({ positionLots }) => positionLots)];
      expect(market.position.times(0)).toMatchObject({
        minLots: Math.min(...positions),
        maxLots: Math.max(...positions),
        lastLots: positions.at(-1),
      });
    }
    const count = (kind: "place" | "cancel"): number =>
      [...recorder.markets.values()].reduce((sum, { actions }) => sum + actions[kind], 0);
    expect(count("place")).toBe(told.actions.filter((kind) => kind === "place").length);
    expect(count("cancel")).toBe(told.actions.filter((kind) => kind === "cancel").length);
    const funding = [...recorder.markets.values()].reduce(
      (sum, { funding: { paid, received } }) => sum + received - paid,
      0n,
    );
    expect(told.funding).not.toBe(0n);
    expect(funding).toBe(told.funding);
  });

  it("closes a day with midnight's sample, so that the days sum to the whole to the unit", () => {
    const { finished, told } = ranFor("days", 20 * 3600, START_US + 14 * 3_600_000_000);
    const { days, profit } = finished;
    expect(days.map(({ day, isWhole }) => [day - START_US / DAY_US, isWhole])).toEqual([
      [0, false],
      [1, false],
    ]);
    expect(days[0]?.closeUs).toBe(START_US + DAY_US);
    for (const part of [...REPORT_PARTS, "total"] as const)
      expect(days.reduce((sum, day) => sum + day.profit[part], 0n)).toBe(profit[part]);
    expect(days.reduce((sum, day) => sum + day.fills, 0)).toBe(told.fills.length);
  });

  it("calls a day whole that it saw from midnight to midnight", () => {
    const { finished } = ranFor("whole", 24 * 3600);
    expect(finished.days.map(({ isWhole }) => isWhole)).toEqual([true]);
  });

  it("keeps the drawdown of the samples, deposits apart", () => {
    const { told, finished } = ranFor("drawdown", 6 * 3600);
    let [peak, deepest] = [START_EQUITY, 0n];
    for (const { equity } of told.samples) {
      if (equity > peak) peak = equity;
      if (peak - equity > deepest) deepest = peak - equity;
    }
    expect(deepest).toBeGreaterThan(0n);
    expect(finished.deepest.amount).toBe(
      deepest * 10n ** BigInt(finished.last.profit.decimals - 6),
    );
  });

  it("refuses a profit that is not the sum of its parts", () => {
    const { told } = ranFor("sums", 600);
    const last = told.samples.at(-1) as EquitySample;
    const recorder = recorderOf();
    for (const sample of told.samples.slice(0, -1)) recorder.equity(sample);
    expect(() => recorder.equity({ ...last, equity: last.equity + 1n })).toThrow(RunError);
    expect(() =>
      recorder.equity({ ...last, profit: { ...last.profit, spread: last.profit.spread + 1n } }),
    ).toThrow(/sum to the change/);
    const [first, ...others] = last.markets;
    const shifted = {
      ...first,
      profit: { ...(first as (typeof last.markets)[number]).profit, fees: 1n, total: 5n },
    } as (typeof last.markets)[number];
    expect(() => recorder.equity({ ...last, markets: [shifted, ...others] })).toThrow(
      /sum to the change/,
    );
  });

  it("refuses a run without a sample at its end, and is not among the markets of the run", () => {
    expect(() => recorderOf().end(START_US)).toThrow(/not sampled at its end/);
    const { recorder, endUs } = ranFor("end", 600);
    expect(() => recorder.end(endUs + 1)).toThrow(/not sampled at its end/);
    expect(() => recorder.touch("dogeusdc", endUs, 1, 2)).toThrow(/dogeusdc/);
  });
});
