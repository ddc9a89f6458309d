import type { Side, Ticks } from "../../core/units.js";

/** How long our orders rested within a span, and how far from the touch, weighted by time. */
export interface QuoteTimes {
  readonly totalUs: number;
  readonly bothUs: number;
  readonly bid: SideTimes;
  readonly ask: SideTimes;
}

/** The same for one side. */
export interface SideTimes {
  /** Time with an order of ours. */
  readonly restingUs: number;
  /** Time with an order at the touch of the others, or better. */
  readonly atTouchUs: number;
  /**
   * Time with both an order of ours and a touch of the others, and the distance behind that touch
   * times time.
   */
  readonly measuredUs: number;
  readonly distanceTickUs: number;
  /**
   * Mean distance behind the touch in ticks while both were there, below zero inside the spread;
   * NaN where they never were.
   */
  readonly meanDistanceTicks: number;
  /** The same in basis points of that touch. */
  readonly meanDistanceBps: number;
}

class SideClock {
  own = Number.NaN;
  touch = Number.NaN;
  restingUs = 0;
  atTouchUs = 0;
  #measuredUs = 0;
  #tickUs = 0;
  #bpsUs = 0;
  readonly #sign: 1 | -1;

  constructor(sign: 1 | -1) {
    this.#sign = sign;
  }

  pass(us: number): void {
    if (Number.isNaN(this.own)) return;
    this.restingUs += us;
    if (Number.isNaN(this.touch)) return;
    const distance = this.#sign * (this.touch - this.own);
    this.#measuredUs += us;
    this.#tickUs += distance * us;
    this.#bpsUs += ((10_000 * distance) / this.touch) * us;
    if (distance <= 0) this.atTouchUs += us;
  }

  times(): SideTimes {
    return {
      restingUs: this.restingUs,
      atTouchUs: this.atTouchUs,
      measuredUs: this.#measuredUs,
      distanceTickUs: this.#tickUs,
      meanDistanceTicks: this.#tickUs / this.#measuredUs,
      meanDistanceBps: this.#bpsUs / this.#measuredUs,
    };
  }
}

/**
 * Measures the time of one market's quotes: each interval between two changes counts with its
 * quotes.
 */
export class QuoteClock {
  readonly #startUs: number;
  readonly #bid = new SideClock(1);
  readonly #ask = new SideClock(-1);
  #sinceUs: number;
  #bothUs = 0;

  constructor(startUs: number) {
    this.#startUs = startUs;
    this.#sinceUs = startUs;
  }

  touch(atUs: number, bidTicks: Ticks, askTicks: Ticks): void {
    this.#pass(atUs);
    this.#bid.touch = bidTicks;
    this.#ask.touch = askTicks;
  }

  quote(atUs: number, side: Side, ownTicks: Ticks): void {
    this.#pass(atUs);
    (side === "BUY" ? this.#bid : this.#ask).own = ownTicks;
  }

  times(untilUs: number): QuoteTimes {
    this.#pass(untilUs);
    return {
      totalUs: this.#sinceUs - this.#startUs,
      bothUs: this.#bothUs,
      bid: this.#bid.times(),
      ask: this.#ask.times(),
    };
  }

  #pass(untilUs: number): void {
    const us = untilUs - this.#sinceUs;
    if (us <= 0) return;
    this.#sinceUs = untilUs;
    this.#bid.pass(us);
    this.#ask.pass(us);
    if (!Number.isNaN(this.#bid.own) && !Number.isNaN(this.#ask.own)) this.#bothUs += us;
  }
}
