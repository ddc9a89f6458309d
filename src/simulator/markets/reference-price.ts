import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, Ms } from "../../core/units.js";

/** A reference price as plain values, for a store. */
export interface ReferencePriceState {
  readonly mark: CreditUnits;
  readonly index: CreditUnits;
  readonly hasReference: boolean;
  /** null while a side of the book is empty. */
  readonly midTicks: number | null;
  readonly midSinceMs: Ms;
  readonly weightedTicks: number;
  readonly weightMs: Ms;
}

/**
 * Mark and index of a market in credit units per whole base unit. They come from the order flow's
 * reference. Without one both are the book's mid, averaged over the time since the last sample,
 * once a second.
 */
export class ReferencePrice {
  /** 0 until a price is known. */
  mark: CreditUnits = 0n;
  index: CreditUnits = 0n;
  #propose: ((mark: CreditUnits) => void) | null = null;
  #hasReference = false;
  #midTicks = Number.NaN;
  #midSinceMs = 0;
  #weightedTicks = 0;
  #weightMs = 0;
  readonly #creditPerTick: number;

  constructor(instrument: Instrument) {
    this.#creditPerTick = instrument.tickQuote * 10 ** instrument.creditDecimals;
  }

  /** Sets a reference in fractional ticks. */
  set(indexTicks: number, markTicks: number): void {
    this.#hasReference = true;
    this.#setMark(this.toCreditPrice(markTicks));
    this.index = this.toCreditPrice(indexTicks);
  }

  /** Switches to a mark that is set from outside; the computed mark is proposed to `propose`. */
  proposeTo(propose: (mark: CreditUnits) => void): void {
    this.#propose = propose;
  }

  /** Called when the mid changed (NaN: a side is empty, and the time does not count). */
  onMid(midTicks: number, nowMs: Ms): void {
    if (this.#hasReference || Object.is(midTicks, this.#midTicks)) {
      return;
    }
    this.#accumulate(nowMs);
    this.#midTicks = midTicks;
    if (this.mark === 0n && !Number.isNaN(midTicks)) {
      this.#adopt(midTicks);
    }
  }

  /** Called on a trade; used while neither a reference nor a mid has ever been known. */
  onTrade(ticks: number): void {
    if (this.mark === 0n) {
      this.#adopt(ticks);
    }
  }

  /**
   * Closes an averaging period.
   * @returns true if the mark changed.
   */
  sample(nowMs: Ms): boolean {
    if (this.#hasReference) {
      return false;
    }
    this.#accumulate(nowMs);
    if (this.#weightMs === 0) {
      return false;
    }
    const before = this.mark;
    this.#adopt(this.#weightedTicks / this.#weightMs);
    this.#weightedTicks = 0;
    this.#weightMs = 0;
    return this.mark !== before;
  }

  snapshot(): ReferencePriceState {
    return {
      mark: this.mark,
      index: this.index,
      hasReference: this.#hasReference,
      midTicks: Number.isNaN(this.#midTicks) ? null : this.#midTicks,
      midSinceMs: this.#midSinceMs,
      weightedTicks: this.#weightedTicks,
      weightMs: this.#weightMs,
    };
  }

  /** Restores a {@link snapshot}. */
  restore({
    mark,
    index,
    hasReference,
    midTicks,
    midSinceMs,
    weightedTicks,
    weightMs,
  }: ReferencePriceState): void {
    this.mark = mark;
    this.index = index;
    this.#hasReference = hasReference;
    this.#midTicks = midTicks ?? Number.NaN;
    this.#midSinceMs = midSinceMs;
    this.#weightedTicks = weightedTicks;
    this.#weightMs = weightMs;
  }

  #accumulate(nowMs: Ms): void {
    const elapsedMs = Math.max(0, nowMs - this.#midSinceMs);
    this.#midSinceMs = nowMs;
    if (!Number.isNaN(this.#midTicks)) {
      this.#weightedTicks += this.#midTicks * elapsedMs;
      this.#weightMs += elapsedMs;
    }
  }

  #adopt(ticks: number): void {
    const price = this.toCreditPrice(ticks);
    this.#setMark(price);
    this.index = price;
  }

  #setMark(price: CreditUnits): void {
    if (this.#propose === null) {
      this.mark = price;
    } else {
      this.#propose(price);
    }
  }

  /** Converts a price in fractional ticks to credit units per whole base unit, rounded. */
  toCreditPrice(ticks: number): CreditUnits {
    return BigInt(Math.round(ticks * this.#creditPerTick));
  }
}
