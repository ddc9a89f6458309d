import type { Lots, Ms, Ticks } from "../core/units.js";

/** Options of {@link MarketAverages}. */
export interface MarketAveragesOptions {
  /** The clock by which time is weighted: exchange time as the bot estimates it. */
  readonly nowMs: () => Ms;
  /** The mid at the start, without the bot's own orders, in fractional ticks. */
  readonly midTicks: number;
  /** Nothing from this time on counts. */
  readonly untilMs: Ms;
}

/**
 * The average prices of one market from its creation until an end: the mid weighted by time, and
 * the public trades weighted by size. While a side of the book is empty, the last mid counts.
 */
export class MarketAverages {
  readonly #nowMs: () => Ms;
  #midTicks: number;
  #fromMs: Ms;
  #untilMs: Ms;
  #ms = 0;
  #tickMs = 0;
  #lots: Lots = 0;
  #tickLots = 0;

  constructor({ nowMs, midTicks, untilMs }: MarketAveragesOptions) {
    this.#nowMs = nowMs;
    this.#midTicks = midTicks;
    this.#fromMs = nowMs();
    this.#untilMs = untilMs;
  }

  /** Records the mid from now on, in fractional ticks. */
  noteMid(midTicks: number): void {
    if (midTicks === this.#midTicks) return;
    this.#advance();
    this.#midTicks = midTicks;
  }

  /** Records a public trade. */
  noteTrade(ticks: Ticks, lots: Lots): void {
    if (this.#nowMs() >= this.#untilMs) return;
    this.#lots += lots;
    this.#tickLots += ticks * lots;
  }

  /** Ends the averages now, unless they have ended before. */
  end(): void {
    this.#advance();
    this.#untilMs = Math.min(this.#untilMs, this.#nowMs());
  }

  /** The mid weighted by time, in fractional ticks. Before any time has passed, the last mid. */
  twapTicks(): number {
    this.#advance();
    return this.#ms === 0 ? this.#midTicks : this.#tickMs / this.#ms;
  }

  /** The price of the public trades weighted by size, fractional ticks; undefined without any. */
  vwapTicks(): number | undefined {
    return this.#lots === 0 ? undefined : this.#tickLots / this.#lots;
  }

  /** Lots of the public trades. */
  get tradedLots(): Lots {
    return this.#lots;
  }

  #advance(): void {
    const toMs = Math.min(this.#nowMs(), this.#untilMs);
    const ms = toMs - this.#fromMs;
    if (!(ms > 0)) return;
    this.#ms += ms;
    this.#tickMs += ms * this.#midTicks;
    this.#fromMs = toMs;
  }
}
