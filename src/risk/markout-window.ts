import type { Lots, Ms, Side, Ticks } from "../core/units.js";

/** How a market's markout is measured. */
export interface MarkoutOptions {
  /** How long after a fill the mid is compared with its price. */
  readonly horizonMs: Ms;
  /** So many of the newest fills count. */
  readonly fills: number;
  /** With fewer there is no markout. */
  readonly minFills: number;
}

/** A fill of an order that rested. */
interface MarkoutFill {
  /** When it matched. */
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
 * The markout of the newest fills of one market: what the mid at the horizon makes of what was paid, weighted by value. All instants are of one
 * clock, exchange time. A fill whose mid is not known at its horizon does not count.
 */
export class MarkoutWindow {
  readonly #options: MarkoutOptions;
  #pending: MarkoutFill[] = [];
  #measured: Measured[] = [];
  #lossBps: number | undefined;

  constructor(options: MarkoutOptions) {
    this.#options = options;
  }

  /** When the next fill is measured; Infinity while none waits. */
  get nextDueMs(): Ms {
    return this.#pending.length === 0
      ? Number.POSITIVE_INFINITY
      : this.#pending[0].atMs + this.#options.horizonMs;
  }

  /** A fill has been told. One whose horizon has passed already is left out: nobody knows the mid of then. */
  fill(fill: MarkoutFill, nowMs: Ms): void {
    if (nowMs >= fill.atMs + this.#options.horizonMs) return;
    this.#pending.push(fill);
    this.#pending.sort((a, b) => a.atMs - b.atMs);
  }

  /** Measures every fill whose horizon is over. @param midTicks undefined where the book has no two sides. */
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

  /** What the fills have lost by their horizon, in basis points: above zero is a loss. Undefined with too few of them. */
  get lossBps(): number | undefined {
    return this.#lossBps;
  }

  /** Forgets every fill: whoever resumes begins anew. */
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
