import type { Lots, Ms, Side, Ticks } from "../core/units.js";

/** Settings for measuring a market's markout. */
export interface MarkoutOptions {
  /** Time after a fill at which the mid is compared with its price. */
  readonly horizonMs: Ms;
  /** Number of newest fills that count. */
  readonly fills: number;
  /** Number of fills below which there is no markout. */
  readonly minFills: number;
}

/** A fill of a resting order. */
interface MarkoutFill {
  /** Time of the match. */
  readonly atMs: Ms;
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
}

interface Measured {
  /** Gain against the mid, in tick-lots. */
  readonly gain: number;
  /** Price times size, in tick-lots. */
  readonly notional: number;
}

/**
 * The markout of the newest fills of one market: the change of the mid against the fill price after
 * the horizon, weighted by value. All instants are of one clock, exchange time. A fill does not
 * count if the mid at its horizon is unknown.
 */
export class MarkoutWindow {
  readonly #options: MarkoutOptions;
  #pending: MarkoutFill[] = [];
  #measured: Measured[] = [];
  #lossBps: number | undefined;

  constructor(options: MarkoutOptions) {
    this.#options = options;
  }

  /** Time at which the next fill is measured; Infinity if none is pending. */
  get nextDueMs(): Ms {
    return this.#pending.length === 0
      ? Number.POSITIVE_INFINITY
      : this.#pending[0].atMs + this.#options.horizonMs;
  }

  /**
   * Adds a fill. A fill whose horizon has already passed is dropped: the mid at that time is
   * unknown.
   */
  fill(fill: MarkoutFill, nowMs: Ms): void {
    if (nowMs >= fill.atMs + this.#options.horizonMs) return;
    this.#pending.push(fill);
    this.#pending.sort((a, b) => a.atMs - b.atMs);
  }

  /**
   * Measures every fill whose horizon has passed.
   * @param midTicks undefined if the book is not two-sided
   */
  settle(nowMs: Ms, midTicks: number | undefined): void {
    if (nowMs < this.nextDueMs) return;
    const due = this.#pending.filter(({ atMs }) => nowMs >= atMs + this.#options.horizonMs);
    this.#pending = this.#pending.slice(due.length);
    if (midTicks === undefined) return;
    for (const { side, ticks, lots } of due) {
      const gain = (side === "BUY" ? midTicks - ticks : ticks - midTicks) * lots;
      this.#measured.push({ gain, notional: ticks * lots });
    }
    this.#measured = this.#measured.slice(-this.#options.fills);
    this.#lossBps =
      this.#measured.length < this.#options.minFills ? undefined : lossOf(this.#measured);
  }

  /**
   * Mean loss of the fills at their horizon, in basis points; above zero is a loss. Undefined with
   * fewer than `minFills` fills.
   */
  get lossBps(): number | undefined {
    return this.#lossBps;
  }

  /** Drops every fill, so that the measurement starts again after a resume. */
  clear(): void {
    this.#pending = [];
    this.#measured = [];
    this.#lossBps = undefined;
  }
}

function lossOf(measured: readonly Measured[]): number | undefined {
  let gain = 0;
  let notional = 0;
  for (const one of measured) {
    gain += one.gain;
    notional += one.notional;
  }
  return notional === 0 ? undefined : (-gain / notional) * 10_000;
}
