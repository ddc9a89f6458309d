import type { Ms } from "../core/units.js";

/**
 * A market's reference price at one instant. `good`: enough sources agree. `starting`: no source
 * has been good since the start. `stale`: too few sources are left. `disagreeing`: the sources that
 * are left are too far apart.
 */
export type ReferenceState = "good" | "starting" | "stale" | "disagreeing";

/** The reference price in a market view. */
export interface ReferenceSnapshot {
  /** Combined price of the sources that count, in fractional ticks; NaN unless it is good. */
  readonly priceTicks: number;
  /**
   * The price plus the basis, in fractional ticks: the fair price at this exchange. NaN unless it
   * is good.
   */
  readonly fairTicks: number;
  /** Age of the oldest price that counts; NaN unless it is good. */
  readonly ageMs: Ms;
  /** Basis of this exchange over the reference, in basis points of the reference. */
  readonly basisBps: number;
  /** Names of the sources that count, in the order of the config. */
  readonly sources: readonly string[];
}

/** One source of a market's reference price, for `status`, screen, cockpit and metrics. */
export interface SourceReading {
  readonly source: string;
  readonly weight: number;
  /** Best prices in fractional ticks of this market; NaN without one. */
  readonly bidTicks: number;
  readonly askTicks: number;
  /** Age of its newest price; NaN before the first one. */
  readonly ageMs: Ms;
  /** True if it counts in the combined price. */
  readonly counts: boolean;
  /** Why it does not count, as a phrase; undefined if it does. */
  readonly leftOut: string | undefined;
}

/** The whole state of a market's reference price. */
export interface ReferenceReading extends ReferenceSnapshot {
  readonly state: ReferenceState;
  /** Why the price is not good, as a sentence without its point; undefined if it is. */
  readonly why: string | undefined;
  /** True while the basis is not estimated, since the price or the market's book is not good. */
  readonly isBasisFrozen: boolean;
  readonly readings: readonly SourceReading[];
}
