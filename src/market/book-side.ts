import type { Lots, Side, Ticks } from "../core/units.js";
import type { Level } from "./view.js";

const FIRST_CAPACITY = 1024;

/**
 * One side of a book: two parallel arrays sorted so that the best price is the LAST entry. Nearly all changes of a
 * live book happen near the touch, so nearly all of them move only a few entries at the end.
 */
export class BookSide {
  readonly side: Side;
  /** Prices times `#sign`, ascending: one search serves both sides. */
  #keys = new Float64Array(FIRST_CAPACITY);
  #lots = new Float64Array(FIRST_CAPACITY);
  #size = 0;
  readonly #sign: 1 | -1;

  /** @param side BUY for the bids (best is the highest price), SELL for the asks (best is the lowest). */
  constructor(side: Side) {
    this.side = side;
    this.#sign = side === "BUY" ? 1 : -1;
  }

  /** Number of price levels. */
  get levels(): number {
    return this.#size;
  }

  /** Best price in ticks; NaN on an empty side. */
  get bestTicks(): Ticks {
    return this.#size === 0 ? Number.NaN : this.#keys[this.#size - 1] * this.#sign;
  }

  /** Lots at the best price; 0 on an empty side. */
  get bestLots(): Lots {
    return this.#size === 0 ? 0 : this.#lots[this.#size - 1];
  }

  /** Price of the level `depth` steps behind the best (0 is the best). NaN past the end. */
  ticksAt(depth: number): Ticks {
    return depth >= this.#size ? Number.NaN : this.#keys[this.#size - 1 - depth] * this.#sign;
  }

  /** Lots of the level `depth` steps behind the best. 0 past the end. */
  lotsAt(depth: number): Lots {
    return depth >= this.#size ? 0 : this.#lots[this.#size - 1 - depth];
  }

  /** Lots resting at a price; 0 when there is no such level. */
  lotsOf(ticks: Ticks): Lots {
    const key = ticks * this.#sign;
    const at = this.#search(key);
    return at < this.#size && this.#keys[at] === key ? this.#lots[at] : 0;
  }

  /** Sets a level to an absolute amount. 0 deletes it; deleting an unknown level does nothing. Returns whether anything changed. */
  set(ticks: Ticks, lots: Lots): boolean {
    const key = ticks * this.#sign;
    const at = this.#search(key);
    if (at < this.#size && this.#keys[at] === key) {
      if (lots === 0) {
        this.#remove(at);
        return true;
      }
      if (this.#lots[at] === lots) return false;
      this.#lots[at] = lots;
      return true;
    }
    if (lots === 0) return false;
    this.#insert(at, key, lots);
    return true;
  }

  clear(): void {
    this.#size = 0;
  }

  /** At most `depth` levels, best first, as fresh objects. */
  top(depth: number): Level[] {
    const count = Math.min(depth, this.#size);
    const levels: Level[] = [];
    for (let i = 0; i < count; i++) levels.push({ ticks: this.ticksAt(i), lots: this.lotsAt(i) });
    return levels;
  }

  /** Every level as flat pairs (ticks, lots, ...), best first: to be compared with another book. */
  entries(): number[] {
    const flat: number[] = [];
    for (let at = this.#size - 1; at >= 0; at--) flat.push(this.#keys[at] * this.#sign, this.#lots[at]);
    return flat;
  }

  /** The first index whose key is not below `key`. */
  #search(key: number): number {
    const keys = this.#keys;
    let high = this.#size;
    // Most changes are within a few levels of the touch: a gallop from the end finds those before a bisection would.
    let reach = 1;
    let low = high - reach;
    while (low > 0 && keys[low] >= key) {
      high = low;
      reach <<= 2;
      low = high - reach;
    }
    if (low < 0) low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (keys[middle] < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #insert(at: number, key: number, lots: Lots): void {
    if (this.#size === this.#keys.length) this.#grow();
    const keys = this.#keys;
    const amounts = this.#lots;
    const size = this.#size;
    if (size - at <= SHORT_MOVE) {
      for (let i = size; i > at; i--) {
        keys[i] = keys[i - 1];
        amounts[i] = amounts[i - 1];
      }
    } else {
      keys.copyWithin(at + 1, at, size);
      amounts.copyWithin(at + 1, at, size);
    }
    keys[at] = key;
    amounts[at] = lots;
    this.#size = size + 1;
  }

  #remove(at: number): void {
    const keys = this.#keys;
    const amounts = this.#lots;
    const size = this.#size;
    if (size - at <= SHORT_MOVE) {
      for (let i = at + 1; i < size; i++) {
        keys[i - 1] = keys[i];
        amounts[i - 1] = amounts[i];
      }
    } else {
      keys.copyWithin(at, at + 1, size);
      amounts.copyWithin(at, at + 1, size);
    }
    this.#size = size - 1;
  }

  #grow(): void {
    const keys = new Float64Array(this.#keys.length * 2);
    const lots = new Float64Array(keys.length);
    keys.set(this.#keys);
    lots.set(this.#lots);
    this.#keys = keys;
    this.#lots = lots;
  }
}

/** Below this many entries a loop beats the fixed cost of two `copyWithin` calls. */
const SHORT_MOVE = 48;
