import type { Lots, Side, Ticks } from "../../core/units.js";
import type { ReadableSide } from "../../market/readable-book.js";
import type { Level } from "../../market/view.js";

/** Prices that the window spans. It takes memory where levels are only, since its pages begin empty. */
const SPAN = 1 << 18;
/** Where in the window the best price is put: the side grows behind it, and it may run ahead a quarter of the span. */
const BEST_AT = (SPAN >>> 2) * 3;
/** A best price that has fallen below this place has too much of its side outside the window. */
const LOWEST_BEST_AT = SPAN >>> 2;

/** The key of no price: below every other. */
export const NO_KEY = -0x7fff_ffff;

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
  /** One bit a place: whether it has an amount. */
  readonly #occupied = new Int32Array(SPAN >>> 5);
  /** Lots by key. Never a better key than the best of the window, and none at all while the window is empty. */
  readonly #far = new Map<number, Lots>();
  #base = 0;
  #bestKey = NO_KEY;
  #levels = 0;

  /** @param side BUY for the bids, SELL for the asks. */
  constructor(side: Side) {
    this.side = side;
    this.#sign = side === "BUY" ? 1 : -1;
  }

  get levels(): number {
    return this.#levels;
  }

  /** Key of the best price; {@link NO_KEY} on an empty side. */
  get bestKey(): number {
    return this.#bestKey;
  }

  get bestTicks(): Ticks {
    return this.#levels === 0 ? Number.NaN : this.#bestKey * this.#sign;
  }

  get bestLots(): Lots {
    return this.#levels === 0 ? 0 : this.#lots[this.#bestKey - this.#base];
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
    // Whether a level comes or goes is a coin's toss: counted without a branch it costs half as much.
    const before = this.#lots[at] | 0;
    const now = lots | 0;
    this.#lots[at] = now;
    const isThere = (now | -now) >>> 31;
    this.#levels += isThere - ((before | -before) >>> 31);
    const word = at >>> 5;
    const bit = at & 31;
    this.#occupied[word] = (this.#occupied[word] & ~(1 << bit)) | (isThere << bit);
    if (key < this.#bestKey) return;
    if (isThere === 1) this.#bestKey = key;
    else if (key === this.#bestKey) this.#findBest(at);
  }

  /** Deletes every level from a key on to the best. */
  clearFrom(worstKey: number): void {
    for (const key of this.#far.keys()) {
      if (key < worstKey) continue;
      this.#far.delete(key);
      this.#levels--;
    }
    while (this.#bestKey >= worstKey && this.#levels > 0) this.set(this.#bestKey, 0);
  }

  walk(visit: (ticks: Ticks, lots: Lots) => boolean): void {
    this.walkKeys((key, lots) => visit(key * this.#sign, lots));
  }

  /** Shows every level by its key, best first, until `visit` returns false. */
  walkKeys(visit: (key: number, lots: Lots) => boolean): void {
    if (this.#levels === 0) return;
    for (let at = this.#bestKey - this.#base; at >= 0; at = this.#occupiedBelow(at)) {
      if (!visit(at + this.#base, this.#lots[at])) return;
    }
    if (this.#far.size === 0) return;
    for (const key of [...this.#far.keys()].sort((a, b) => b - a)) {
      if (!visit(key, this.#far.get(key) ?? 0)) return;
    }
  }

  top(depth: number): Level[] {
    const levels: Level[] = [];
    if (depth <= 0) return levels;
    this.walk((ticks, lots) => levels.push({ ticks, lots }) < depth);
    return levels;
  }

  entries(): number[] {
    const flat: number[] = [];
    this.walk((ticks, lots) => flat.push(ticks, lots) > 0);
    return flat;
  }

  #setFar(key: number, lots: Lots): void {
    if (key > this.#bestKey) {
      if (lots === 0) return;
      this.#moveWindow(key);
      this.set(key, lots);
      return;
    }
    const before = this.#far.get(key);
    if (lots === 0) {
      if (before === undefined) return;
      this.#far.delete(key);
      this.#levels--;
      return;
    }
    this.#far.set(key, lots);
    if (before === undefined) this.#levels++;
    if (this.#bestKey - this.#base < LOWEST_BEST_AT) this.#moveWindow(this.#bestKey);
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
    if (this.#levels > 0) this.#moveWindow(this.#bestKey);
  }

  /** The next occupied place below another; -1 when there is none. */
  #occupiedBelow(at: number): number {
    const occupied = this.#occupied;
    let word = at >>> 5;
    let bits = occupied[word] & ((1 << (at & 31)) - 1);
    while (bits === 0) {
      if (word === 0) return -1;
      word--;
      bits = occupied[word];
    }
    return (word << 5) + 31 - Math.clz32(bits);
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
    this.#occupied.fill(0);
    this.#levels = 0;
    this.#bestKey = NO_KEY;
    this.#base = bestKey - BEST_AT;
    for (let i = 0; i < levels.length; i += 2) {
      const at = levels[i] - this.#base;
      if (at >= 0) {
        this.set(levels[i], levels[i + 1]);
      } else {
        this.#far.set(levels[i], levels[i + 1]);
        this.#levels++;
      }
    }
  }
}
