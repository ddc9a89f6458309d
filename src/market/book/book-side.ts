import type { Lots, Side, Ticks } from "../../core/units.js";
import type { Level } from "./readable-book.js";

const FIRST_CAPACITY = 1024;

/**
 * One side of a book: two parallel arrays sorted so that the best price is the LAST entry, which
 * always holds an amount. Nearly all changes of a live book are near the touch, so only a few
 * entries move. A level that is deleted behind the touch keeps its entry without an amount until it
 * returns, as most do. Once such entries are the majority, they are removed.
 */
export class BookSide {
  readonly side: Side;
  /** Prices times `#sign`, ascending: one search serves both sides. */
  #keys = new Float64Array(FIRST_CAPACITY);
  #lots = new Float64Array(FIRST_CAPACITY);
  #size = 0;
  /** Number of entries without an amount. */
  #empty = 0;
  /**
   * Index of the last search. The levels of one message are ordered, so the next one is often near.
   */
  #finger = 0;
  readonly #sign: 1 | -1;

  /**
   * @param side BUY for the bids (best is the highest price), SELL for the asks (best is the
   * lowest).
   */
  constructor(side: Side) {
    this.side = side;
    this.#sign = side === "BUY" ? 1 : -1;
  }

  /** Number of price levels. */
  get levels(): number {
    return this.#size - this.#empty;
  }

  /** Best price in ticks; NaN on an empty side. */
  get bestTicks(): Ticks {
    return this.#size === 0 ? Number.NaN : this.#keys[this.#size - 1] * this.#sign;
  }

  /** Lots at the best price; 0 on an empty side. */
  get bestLots(): Lots {
    return this.#size === 0 ? 0 : this.#lots[this.#size - 1];
  }

  /** Lots resting at a price; 0 when there is no such level. */
  lotsAt(ticks: Ticks): Lots {
    const key = ticks * this.#sign;
    const at = this.#search(key);
    return at < this.#size && this.#keys[at] === key ? this.#lots[at] : 0;
  }

  /**
   * Sets a level to an absolute amount. 0 deletes it; deleting an unknown level does nothing.
   * Returns whether anything changed.
   */
  set(ticks: Ticks, lots: Lots): boolean {
    const key = ticks * this.#sign;
    const at = this.#search(key);
    if (at < this.#size && this.#keys[at] === key) {
      const before = this.#lots[at];
      if (before === lots) return false;
      this.#lots[at] = lots;
      if (lots === 0) this.#vacate(at);
      else if (before === 0) this.#empty--;
      return true;
    }
    if (lots === 0) return false;
    this.#insert(at, key, lots);
    return true;
  }

  /** Sets the levels of flat pairs (ticks, lots, ...), each to its absolute amount. */
  setPairs(pairs: readonly number[]): void {
    for (let at = 0; at + 1 < pairs.length; at += 2)
      this.set(pairs[at] as number, pairs[at + 1] as number);
  }

  /** Deletes every level. */
  clear(): void {
    this.#size = 0;
    this.#empty = 0;
  }

  /** Deletes every level from the best price down to this one. */
  clearFrom(ticks: Ticks): void {
    const key = ticks * this.#sign;
    while (this.#size > 0 && this.#keys[this.#size - 1] >= key) this.set(this.bestTicks, 0);
  }

  /** Calls `visit` with every level, best first, until it returns false. */
  walk(visit: (ticks: Ticks, lots: Lots) => boolean): void {
    for (let at = this.#size - 1; at >= 0; at--) {
      if (this.#lots[at] !== 0 && !visit(this.#keys[at] * this.#sign, this.#lots[at])) return;
    }
  }

  /**
   * Writes at most `most` levels as flat pairs (ticks, lots, ...), best first, and returns their
   * number.
   */
  topInto(pairs: Float64Array, most: number): number {
    let count = 0;
    for (let at = this.#size - 1; at >= 0 && count < most; at--) {
      if (this.#lots[at] === 0) continue;
      pairs[2 * count] = this.#keys[at] * this.#sign;
      pairs[2 * count + 1] = this.#lots[at];
      count++;
    }
    return count;
  }

  /** At most `depth` levels, best first, as new objects. */
  top(depth: number): Level[] {
    const levels: Level[] = [];
    for (let at = this.#size - 1; at >= 0 && levels.length < depth; at--) {
      if (this.#lots[at] !== 0)
        levels.push({ ticks: this.#keys[at] * this.#sign, lots: this.#lots[at] });
    }
    return levels;
  }

  /** Every level as flat pairs (ticks, lots, ...), best first, for comparison with another book. */
  entries(): number[] {
    const flat: number[] = [];
    this.walk((ticks, lots) => {
      flat.push(ticks, lots);
      return true;
    });
    return flat;
  }

  /** The first index whose key is not below `key`. */
  #search(key: number): number {
    const keys = this.#keys;
    const last = this.#size - 1;
    if (last < 0 || keys[last] < key) return last + 1;
    if (keys[0] >= key) return 0;
    // Prices near the touch are dense, so a straight line through both ends gives a close guess,
    // unless a few levels are far out. The last found index may be closer. A gallop from the better
    // of the two finds the bracket.
    let guess = last - Math.floor(((keys[last] - key) * last) / (keys[last] - keys[0]));
    const finger = Math.min(this.#finger, last);
    if (Math.abs(keys[finger] - key) < Math.abs(keys[guess] - key)) guess = finger;
    let low: number;
    let high: number;
    let reach = 1;
    if (keys[guess] < key) {
      low = guess;
      high = guess + 1;
      while (keys[high] < key) {
        low = high;
        reach <<= 1;
        high = Math.min(high + reach, last);
      }
    } else {
      high = guess;
      low = guess - 1;
      while (keys[low] >= key) {
        high = low;
        reach <<= 1;
        low = Math.max(low - reach, 0);
      }
    }
    // Now keys[low] < key <= keys[high].
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (keys[middle] < key) low = middle;
      else high = middle;
    }
    this.#finger = high;
    return high;
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

  #vacate(at: number): void {
    this.#empty++;
    if (at === this.#size - 1) {
      // The best entry must hold an amount: the empty entries behind it are removed with it.
      do {
        this.#size--;
        this.#empty--;
      } while (this.#size > 0 && this.#lots[this.#size - 1] === 0);
    } else if (this.#empty > FEW && this.#empty * 2 > this.#size) {
      this.#compact();
    }
  }

  #compact(): void {
    let kept = 0;
    for (let at = 0; at < this.#size; at++) {
      if (this.#lots[at] === 0) continue;
      this.#keys[kept] = this.#keys[at];
      this.#lots[kept] = this.#lots[at];
      kept++;
    }
    this.#size = kept;
    this.#empty = 0;
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

/** Number of empty entries that do not justify a compaction. */
const FEW = 64;
