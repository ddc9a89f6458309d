import type { Lots, Side, Ticks } from "../../core/units.js";
import type { Tape } from "../../history/columns/tape.js";
import type { ReadableSide } from "../../market/readable-book.js";
import type { Level } from "../../market/view.js";

/** Prices that the window spans. It takes memory where levels are only, since its pages begin empty. */
const SPAN = 1 << 18;
/** Where in the window the best price is put: the side grows behind it, and it may run ahead a quarter of the span. */
const BEST_AT = (SPAN >>> 2) * 3;
/** A best price that has fallen below this place has too much of its side outside the window. */
const LOWEST_BEST_AT = SPAN >>> 2;
/** Places of a block, as a power of two: a block that nothing was written to is skipped at a glance. */
const BLOCK_BITS = 6;
const LAST_OF_BLOCK = (1 << BLOCK_BITS) - 1;

/** The key of no price: below every other. */
export const NO_KEY = -0x7fff_ffff;

const NO_KEYS: readonly number[] = [];

/** The recorded columns that a book is made of. */
export type BookRows = Pick<Tape, "signedTicks" | "lots">;

/**
 * One side of a replayed book: amounts by price in a window of ticks around the best, so that a change is one write; what lies outside
 * the window, a few levels that hardly ever change, is in a map. A price's key is its ticks on the bids and minus its ticks on the asks, as
 * a tape has it: on both sides a higher key is a better price.
 */
export class ReplaySide implements ReadableSide {
  readonly side: Side;
  readonly #sign: 1 | -1;
  /** Lots by key less `#base`. */
  readonly #lots = new Uint32Array(SPAN);
  /** By block of places: 0 where none of them has an amount; 1 where one may have. */
  readonly #written = new Uint8Array(SPAN >>> BLOCK_BITS);
  /** Lots by key. Never a better key than the best of the window, and none at all while the window is empty. */
  readonly #far = new Map<number, Lots>();
  #base = 0;
  #bestKey = NO_KEY;

  /** @param side BUY for the bids, SELL for the asks. */
  constructor(side: Side) {
    this.side = side;
    this.#sign = side === "BUY" ? 1 : -1;
  }

  /** Counted anew each time. */
  get levels(): number {
    let levels = 0;
    this.walkKeys(() => ++levels > 0);
    return levels;
  }

  /** Key of the best price; {@link NO_KEY} on an empty side. */
  get bestKey(): number {
    return this.#bestKey;
  }

  get bestTicks(): Ticks {
    return this.#bestKey === NO_KEY ? Number.NaN : this.#bestKey * this.#sign;
  }

  get bestLots(): Lots {
    return this.#bestKey === NO_KEY ? 0 : this.#lots[this.#bestKey - this.#base];
  }

  lotsOf(ticks: Ticks): Lots {
    return this.lotsAt(ticks * this.#sign);
  }

  /** Lots at the price of a key; 0 when there is no such level. */
  lotsAt(key: number): Lots {
    const at = key - this.#base;
    return at >= 0 && at < SPAN ? this.#lots[at] : (this.#far.get(key) ?? 0);
  }

  /** Sets the level of a key to an absolute amount of lots, below 2^32; 0 deletes, an unknown level's deletion is ignored. */
  set(key: number, lots: Lots): void {
    const at = key - this.#base;
    if (at < 0 || at >= SPAN) {
      this.#setFar(key, lots);
      return;
    }
    this.#lots[at] = lots;
    this.#written[at >>> BLOCK_BITS] = 1;
    if (key < this.#bestKey) return;
    if (lots > 0) this.#bestKey = key;
    else if (key === this.#bestKey) this.#findBest(at);
  }

  /** Sets the levels of the rows from `from` on that are of this side, up to the first that is not or to `to`. Returns where it stopped. */
  setRows({ signedTicks, lots }: BookRows, from: number, to: number): number {
    const isBid = this.side === "BUY";
    const window = this.#lots;
    const written = this.#written;
    let base = this.#base;
    let bestKey = this.#bestKey;
    let row = from;
    for (; row < to; row++) {
      const key = signedTicks[row];
      if (key > 0 !== isBid) break;
      const amount = lots[row];
      // Unsigned, one comparison tells both ends of the window.
      const at = (key - base) >>> 0;
      if (at < SPAN && key < bestKey) {
        window[at] = amount;
        written[at >>> BLOCK_BITS] = 1;
      } else {
        this.set(key, amount);
        base = this.#base;
        bestKey = this.#bestKey;
      }
    }
    return row;
  }

  /** Deletes every level from a key on to the best. */
  clearFrom(worstKey: number): void {
    for (const key of this.#far.keys()) if (key >= worstKey) this.#far.delete(key);
    while (this.#bestKey >= worstKey && this.#bestKey !== NO_KEY) this.set(this.#bestKey, 0);
  }

  walk(visit: (ticks: Ticks, lots: Lots) => boolean): void {
    this.walkKeys((key, lots) => visit(key * this.#sign, lots));
  }

  /** Shows every level by its key, best first, until `visit` returns false. */
  walkKeys(visit: (key: number, lots: Lots) => boolean): void {
    if (this.#bestKey === NO_KEY) return;
    for (let at = this.#bestKey - this.#base; at >= 0; at = this.#occupiedBelow(at)) {
      if (!visit(at + this.#base, this.#lots[at])) return;
    }
    for (const key of this.#farKeys()) if (!visit(key, this.#far.get(key) ?? 0)) return;
  }

  top(depth: number): Level[] {
    const levels: Level[] = [];
    if (depth <= 0) return levels;
    this.walk((ticks, lots) => levels.push({ ticks, lots }) < depth);
    return levels;
  }

  topInto(pairs: Float64Array, most: number): number {
    if (this.#bestKey === NO_KEY) return 0;
    const sign = this.#sign;
    const end = 2 * most;
    let next = 0;
    for (let at = this.#bestKey - this.#base; at >= 0 && next < end; at = this.#occupiedBelow(at)) {
      pairs[next++] = (at + this.#base) * sign;
      pairs[next++] = this.#lots[at];
    }
    if (next === end) return most;
    for (const key of this.#farKeys().slice(0, most - next / 2)) {
      pairs[next++] = key * sign;
      pairs[next++] = this.#far.get(key) ?? 0;
    }
    return next / 2;
  }

  entries(): number[] {
    const flat: number[] = [];
    this.walk((ticks, lots) => flat.push(ticks, lots) > 0);
    return flat;
  }

  /** Best first. */
  #farKeys(): readonly number[] {
    return this.#far.size === 0 ? NO_KEYS : [...this.#far.keys()].sort((a, b) => b - a);
  }

  #setFar(key: number, lots: Lots): void {
    if (key > this.#bestKey) {
      if (lots === 0) return;
      this.#moveWindow(key);
      this.set(key, lots);
    } else if (lots === 0) {
      this.#far.delete(key);
    } else {
      this.#far.set(key, lots);
      if (this.#bestKey - this.#base < LOWEST_BEST_AT) this.#moveWindow(this.#bestKey);
    }
  }

  /** The best level, in this place, has gone. */
  #findBest(at: number): void {
    const next = this.#occupiedBelow(at);
    if (next >= 0) {
      this.#bestKey = next + this.#base;
      return;
    }
    this.#bestKey = NO_KEY;
    for (const key of this.#far.keys()) if (key > this.#bestKey) this.#bestKey = key;
    if (this.#bestKey !== NO_KEY) this.#moveWindow(this.#bestKey);
  }

  /** The next occupied place below another; -1 when there is none. */
  #occupiedBelow(at: number): number {
    const lots = this.#lots;
    for (let place = at - 1; place >= 0; ) {
      const block = place >>> BLOCK_BITS;
      const first = block << BLOCK_BITS;
      if (this.#written[block] === 0) {
        place = first - 1;
        continue;
      }
      const isWhole = (place & LAST_OF_BLOCK) === LAST_OF_BLOCK;
      for (; place >= first; place--) if (lots[place] !== 0) return place;
      if (isWhole) this.#written[block] = 0;
    }
    return -1;
  }

  /** Moves the window so that it has this key, which is or will be the best, in its usual place. */
  #moveWindow(bestKey: number): void {
    const levels: number[] = [];
    this.walkKeys((key, lots) => {
      levels.push(key, lots);
      // Place by place: filling the window with zeros would have it take all its memory.
      if (key >= this.#base) this.#lots[key - this.#base] = 0;
      return true;
    });
    this.#far.clear();
    this.#written.fill(0);
    this.#bestKey = NO_KEY;
    this.#base = bestKey - BEST_AT;
    for (let i = 0; i < levels.length; i += 2) {
      const at = levels[i] - this.#base;
      if (at >= 0) this.set(levels[i], levels[i + 1]);
      else this.#far.set(levels[i], levels[i + 1]);
    }
  }
}
