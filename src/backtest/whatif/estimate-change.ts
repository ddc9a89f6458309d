import { studentQuantile } from "../../account/markouts/blocked-mean.js";
import type { FillBlock } from "./fill-blocks.js";

/** A change of profit with its interval, in the quote asset. */
export interface ChangeInterval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** The parts of an estimated change, in the order of their sum. */
export const CHANGED_PARTS = ["spread", "adverseSelection", "fees"] as const;

/** One of {@link CHANGED_PARTS}. */
export type ChangedPart = (typeof CHANGED_PARTS)[number];

/** The blocks of one market: as they were live, and in the two reruns. */
export interface MarketBlocks {
  readonly live: readonly FillBlock[];
  readonly before: readonly FillBlock[];
  readonly after: readonly FillBlock[];
}

/** The estimated change of profit. */
export interface ChangeEstimate {
  readonly parts: Readonly<Record<ChangedPart, ChangeInterval>>;
  readonly total: ChangeInterval;
  /** Standard errors of the total by their source, in the quote asset. */
  readonly errors: {
    /** The session is one sample of its market. */
    readonly sample: number;
    /** The rerun of the old values earned more, or less, a unit than the session did. */
    readonly fit: number;
    /** Other models fill the session's orders as well. */
    readonly models: number;
    /** The mean of {@link MEAN_OF} sessions still has luck in it. */
    readonly luck: number;
  };
}

/** The interval is that of the mean change over so many sessions that begin as this one did. */
export const MEAN_OF = 20;

/** Quantiles of the standard normal distribution for the levels of an interval. */
const LEVELS: Readonly<Record<string, number>> = {
  "0.5": 0.674489750196,
  "0.8": 1.281551565545,
  "0.9": 1.644853626951,
  "0.95": 1.95996398454,
};

/**
 * Factor of every interval, measured on sessions of two minutes at the level 0.8 alone. The
 * variance of their twelve blocks is too small, and other sessions differ by more. Of the 20
 * answered of 24 sessions that were drawn for this alone (`train 0` to `train 23`), 16 are within
 * 1.01 times their plain interval and 17 within this.
 */
const CALIBRATION = 1.17;

/** A correlation below zero between neighbours never takes more than half of a variance. */
const LEAST_SHARE = 0.5;

/**
 * Estimates the change of profit from two reruns of one session, one with the old values and one
 * with the new. What a position earns later than three seconds after its fills has an
 * expectation of zero where the mid is a martingale, and is left out: it would be most of the
 * noise. The adverse selection of a unit is taken from the fills of both reruns together. Errors
 * are those of a ratio estimator over blocks of time (Cochran, Sampling Techniques, 3rd ed., 6.3).
 * @param markets all of them, with the same blocks
 * @param fundingQuote change of the funding received, which is exact
 * @param modelSpread standard deviation of the totals of all plausible models, quote asset
 * @param level of the interval: 0.5, 0.8, 0.9 or 0.95
 */
export function estimateChange(
  markets: readonly MarketBlocks[],
  fundingQuote: number,
  modelSpread: number,
  level: string,
): ChangeEstimate {
  const blocks = markets[0]?.before.length ?? 0;
  const none = new Array<number>(blocks).fill(0);
  const influence: Record<ChangedPart, number[]> = {
    spread: [...none],
    adverseSelection: [...none],
    fees: [...none],
  };
  const held = [...none];
  let fitSquared = 0;
  for (const market of markets) {
    const { live, before, after } = market;
    const changedLots = sum(after, "lots") - sum(before, "lots");
    const pooledLots = sum(after, "lots") + sum(before, "lots");
    const drift = pooledLots === 0 ? 0 : (sum(after, "drift") + sum(before, "drift")) / pooledLots;
    for (let at = 0; at < blocks; at++) {
      const [one, other] = [before[at] as FillBlock, after[at] as FillBlock];
      const noise = one.drift + other.drift - drift * (one.lots + other.lots);
      add(influence.spread, at, other.spread - one.spread);
      add(influence.fees, at, other.fees - one.fees);
      add(
        influence.adverseSelection,
        at,
        drift * (other.lots - one.lots) +
          (pooledLots === 0 ? 0 : (changedLots / pooledLots) * noise),
      );
      add(held, at, other.spread + other.fees + other.held - one.spread - one.fees - one.held);
    }
    const earned = (of: readonly FillBlock[]): number =>
      sum(of, "spread") + sum(of, "fees") + drift * sum(of, "lots");
    const beforeLots = sum(before, "lots");
    const excess = beforeLots === 0 ? 0 : (earned(before) - earned(live)) / beforeLots;
    fitSquared += (excess * changedLots) ** 2;
  }
  const whole = none.map((_, at) =>
    CHANGED_PARTS.reduce((all, part) => all + (influence[part][at] as number), 0),
  );
  const quantile = CALIBRATION * studentQuantile(Math.max(1, blocks - 1), LEVELS[level]);
  const between = (value: number, variance: number): ChangeInterval => {
    const half = quantile * Math.sqrt(variance);
    return { value, low: value - half, high: value + half };
  };
  const luck = sumVariance(held) / MEAN_OF;
  const sample = sumVariance(whole);
  const partOf = (part: ChangedPart): ChangeInterval => {
    const variance = sumVariance(influence[part]);
    return between(total(influence[part]), variance * (1 + 1 / MEAN_OF));
  };
  return {
    parts: {
      spread: partOf("spread"),
      adverseSelection: partOf("adverseSelection"),
      fees: partOf("fees"),
    },
    total: between(total(whole) + fundingQuote, sample + fitSquared + modelSpread ** 2 + luck),
    errors: {
      sample: Math.sqrt(sample),
      fit: Math.sqrt(fitSquared),
      models: modelSpread,
      luck: Math.sqrt(luck),
    },
  };
}

/** The variance of a sum over blocks whose neighbours may be correlated. */
function sumVariance(values: readonly number[]): number {
  const count = values.length;
  if (count < 2) return Number.POSITIVE_INFINITY;
  const mean = total(values) / count;
  const from = values.map((value) => value - mean);
  const variance = from.reduce((all, value) => all + value * value, 0) / (count - 1);
  const next = from.slice(1).reduce((all, value, at) => all + value * (from[at] as number), 0);
  return Math.max(LEAST_SHARE * count * variance, count * variance + 2 * next);
}

function total(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function sum(blocks: readonly FillBlock[], key: keyof FillBlock): number {
  return blocks.reduce((all, block) => all + block[key], 0);
}

function add(values: number[], at: number, value: number): void {
  values[at] = (values[at] as number) + value;
}
