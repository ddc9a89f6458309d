import { existsSync } from "node:fs";
import { join } from "node:path";
import { recordedDataFolder } from "#simulator/data-folder.js";
import {
  type CarryLeg,
  expectedSpreadBps,
  lowerQuantile,
  predictRateBps,
  spreadSurprisesBps,
} from "#strategies/carry-spread.js";
import { decideCarry } from "#strategies/decide-carry.js";
import { FundingRateModel, type PaidRate } from "#strategies/funding-rate-model.js";
import { readRatesFile } from "#strategies/read-rates-file.js";

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const FOLDER = join(recordedDataFolder(), "funding");

/** The exchanges whose rates were recorded; the hourly one is the last, so that it is the hedge. */
export const RECORDED_EXCHANGES = ["binance", "bybit", "gate", "htx", "kucoin", "mexc", "dydx"];

/** The settings of the walk forward, which the page names. */
export const WALK = {
  horizonMs: 7 * DAY_MS,
  feesBps: 14,
  entryMarginBps: 2,
  exitBps: 0,
  maxLossBps: 50,
  worstShare: 0.05,
  leastTimes: 30,
  windowMs: 180 * DAY_MS,
} as const;

/** True if the recorded rates are on this machine. */
export function hasRecordedRates(): boolean {
  return RECORDED_EXCHANGES.every((exchange) => existsSync(join(FOLDER, fileOf(exchange))));
}

/** The recorded rates of an exchange. */
export function recordedRates(exchange: string): readonly PaidRate[] {
  return readRatesFile({
    path: fileOf(exchange),
    folder: FOLDER,
    field: exchange,
    marketId: "btcusdc",
  });
}

const fileOf = (exchange: string): string => `btcusdt-perp_${exchange}_funding.ndjson.gz`;

/** The carry of a pair of exchanges, in basis points of one leg's value. */
export interface RecordedCarry {
  readonly years: number;
  readonly trades: number;
  /** Share of the time in which the trade was on. */
  readonly shareIn: number;
  /** A year, after fees. */
  readonly carryBps: number;
  /** A year, after the fees of one entry: on the side of the first entry, and never left. */
  readonly alwaysInBps: number;
  /** Worst loss from a peak, of funding and fees. */
  readonly drawdownBps: number;
  /** Share of the times whose receipts were below the worst case that was computed before. */
  readonly belowWorst: number;
  /** Times that this share is of. */
  readonly times: number;
}

/**
 * Walks through the rates of two exchanges, funding by funding of the first. Each decision knows
 * the past alone: the next rate is predicted from those before it, since no announcements were
 * recorded, and only its time is known.
 */
export function walkCarry(here: readonly PaidRate[], there: readonly PaidRate[]): RecordedCarry {
  const legs = [new WalkedLeg(here), new WalkedLeg(there)] as const;
  const fromMs = Math.max(here[0]?.stampMs ?? 0, there[0]?.stampMs ?? 0);
  const untilMs = Math.min(here.at(-1)?.stampMs ?? 0, there.at(-1)?.stampMs ?? 0);
  let heldSide: -1 | 0 | 1 = 0;
  let firstSide: -1 | 0 | 1 = 0;
  let [earnedBps, peakBps, drawdownBps, alwaysBps] = [0, 0, 0, 0];
  let [inMs, trades, times, below] = [0, 0, 0, 0];
  let lastMs = fromMs;
  let worst: ReturnType<typeof worstCase>;
  let worstMs = Number.NEGATIVE_INFINITY;
  for (const { stampMs } of here) {
    if (stampMs <= fromMs || stampMs > untilMs) continue;
    const receivedBps = -legs[0].take(stampMs) + legs[1].take(stampMs);
    earnedBps += heldSide * receivedBps;
    alwaysBps += firstSide * receivedBps;
    if (heldSide !== 0) inMs += stampMs - lastMs;
    lastMs = stampMs;
    const [own, other] = [legs[0].next(stampMs), legs[1].next(stampMs)];
    if (own !== undefined && other !== undefined) {
      const spreadBps = expectedSpreadBps(own, other, WALK.horizonMs);
      if (stampMs - worstMs >= DAY_MS) {
        worst = worstCase(legs[0].model, legs[1].model);
        worstMs = stampMs;
      }
      const state = { heldSide, spreadBps, basisBps: 0, feesBps: WALK.feesBps, worst };
      const { want } = decideCarry(state, WALK);
      if (worst !== undefined && stampMs + WALK.horizonMs <= untilMs) {
        const side = spreadBps < 0 ? -1 : 1;
        const realised = side * (legs[1].paidWithin(stampMs) - legs[0].paidWithin(stampMs));
        const bound = side * spreadBps + (side > 0 ? worst.longBps : worst.shortBps);
        times += 1;
        if (realised < bound - 1e-9) below += 1;
      }
      if (want !== "hold" && want !== heldSide) {
        // Half of the fees on the way in, half on the way out.
        earnedBps -= (WALK.feesBps / 2) * Math.abs(want - heldSide);
        if (want !== 0) trades += 1;
        if (firstSide === 0) {
          firstSide = want;
          alwaysBps -= WALK.feesBps;
        }
        heldSide = want;
      }
    }
    peakBps = Math.max(peakBps, earnedBps);
    drawdownBps = Math.max(drawdownBps, peakBps - earnedBps);
  }
  const years = (untilMs - fromMs) / YEAR_MS;
  return {
    years,
    trades,
    shareIn: inMs / (untilMs - fromMs),
    carryBps: earnedBps / years,
    alwaysInBps: alwaysBps / years,
    drawdownBps,
    belowWorst: times === 0 ? Number.NaN : below / times,
    times,
  };
}

function worstCase(here: FundingRateModel, there: FundingRateModel) {
  const longs = spreadSurprisesBps(here, there, WALK.horizonMs);
  if (longs.length < WALK.leastTimes) return undefined;
  const worst = (values: readonly number[]): number =>
    Math.min(0, lowerQuantile(values, WALK.worstShare) ?? 0);
  return { longBps: worst(longs), shortBps: worst(longs.map((bps) => -bps)) };
}

/** The rates of one leg as time passes. */
class WalkedLeg {
  readonly model: FundingRateModel;
  readonly #rates: readonly PaidRate[];
  readonly #sums: readonly number[];
  #taken = 0;

  constructor(rates: readonly PaidRate[]) {
    this.#rates = rates;
    const periodMs = Math.min(
      ...rates.slice(1, 50).map(({ stampMs }, at) => stampMs - (rates[at]?.stampMs ?? 0)),
    );
    this.model = new FundingRateModel({
      persistence: 0.8,
      longRunBps: 0,
      residualBps: 2,
      periodMs,
      windowRates: Math.round(WALK.windowMs / periodMs),
      leastRates: 30,
    });
    let sum = 0;
    this.#sums = [0, ...rates.map(({ rateBps }) => (sum += rateBps))];
  }

  /** Takes what was paid until a time, and returns its sum. */
  take(untilMs: number): number {
    const from = this.#taken;
    for (
      ;
      (this.#rates[this.#taken]?.stampMs ?? Number.POSITIVE_INFINITY) <= untilMs;
      this.#taken++
    ) {
      const { rateBps, stampMs } = this.#rates[this.#taken] as PaidRate;
      this.model.observe(rateBps, stampMs);
    }
    return (this.#sums[this.#taken] ?? 0) - (this.#sums[from] ?? 0);
  }

  /** The next rate as predicted; undefined at the end, and where a funding is missing. */
  next(nowMs: number): CarryLeg | undefined {
    const [last, next] = [this.#rates[this.#taken - 1], this.#rates[this.#taken]];
    const { fit } = this.model;
    if (last === undefined || last.stampMs <= nowMs - fit.periodMs) return undefined;
    if (next === undefined || next.stampMs > nowMs + fit.periodMs) return undefined;
    const rateBps = predictRateBps(fit, last.rateBps);
    return { announced: { rateBps, untilMs: next.stampMs - nowMs }, fit };
  }

  /** The rates paid within the horizon after a time that was taken. */
  paidWithin(fromMs: number): number {
    let at = this.#taken;
    while ((this.#rates[at]?.stampMs ?? Number.POSITIVE_INFINITY) <= fromMs + WALK.horizonMs)
      at += 1;
    return (this.#sums[at] ?? 0) - (this.#sums[this.#taken] ?? 0);
  }
}
