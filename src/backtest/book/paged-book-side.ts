import type { Lots, Side, Ticks } from "../../core/units.js";
import {
  columnLike,
  isWide,
  type LotsColumn,
  MOST_NARROW_LOTS,
  widen,
} from "../../history/columns/tape/lots-column.js";
import type { Tape } from "../../history/columns/tape/tape.js";
import type { Level, ReadableSide } from "../../market/book/readable-book.js";

/**
 * Prices of a page, as a power of two. Most changes lie within a few pages; each far level costs a
 * page.
 */
const PAGE_BITS = 7;
const PAGE = 1 << PAGE_BITS;
const LAST_OF_PAGE = PAGE - 1;
/**
 * Sizes that the page store grows through: a shallow book, then a deep or long-recorded one, then
 * one that was played for long.
 */
const FEW_PAGES = 64;
const MORE_PAGES = 192;
const MANY_PAGES = 640;
/** Pages that the page table grows beyond the requested one. */
const REACH = 1024;

/** The key that stands for "no price": below every other. */
export const NO_KEY = -0x7fff_ffff;

/** The recorded columns from which a book is built. */
export type BookRows = Pick<Tape, "signedTicks" | "lots">;

/**
 * One side of a replayed book: amounts by price, in pages of neighbouring prices. A page exists
 * only where a level has been, so a change is one write however far it is from the best price. The
 * key of a price is its ticks on the bids and minus its ticks on the asks, as in a tape. On both
 * sides a higher key is a better price.
 */
export class PagedBookSide implements ReadableSide {
  readonly side: Side;
  readonly #sign: 1 | -1;
  /**
   * Lots, page after page. The first page belongs to no price and stays empty: it is read for every
   * missing page. The column becomes wide once a wide amount may come.
   */
  #lots: LotsColumn = new Uint32Array(PAGE);
  /** Offsets in `#lots` of pages that have been freed, and of pages that were never used. */
  readonly #free: number[] = [];
  #unused = PAGE;
  /** Offset of each page of keys in `#lots`, counted from `#firstPage`; 0 for a missing page. */
  #pages = new Int32Array(0);
  #firstPage = 0;
  #bestKey = NO_KEY;
  /** The column of the last rows. While it is the same, its width is not checked again. */
  #column: LotsColumn | undefined;

  /** @param side BUY for the bids, SELL for the asks. */
  constructor(side: Side) {
    this.side = side;
    this.#sign = side === "BUY" ? 1 : -1;
  }

  /** Counted at each call. */
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
    return this.#bestKey === NO_KEY ? 0 : this.lotsAtKey(this.#bestKey);
  }

  lotsAt(ticks: Ticks): Lots {
    return this.lotsAtKey(ticks * this.#sign);
  }

  /** Lots at the price of a key; 0 without a level there. */
  lotsAtKey(key: number): Lots {
    return this.#lots[this.#startOf(key >> PAGE_BITS) + (key & LAST_OF_PAGE)];
  }

  /**
   * Sets the level of a key to an absolute amount of lots. 0 deletes; deleting an unknown level is
   * ignored.
   */
  set(key: number, lots: Lots): void {
    const page = key >> PAGE_BITS;
    let start = this.#startOf(page);
    if (start === 0) {
      if (lots === 0) return;
      start = this.#addPage(page);
    }
    if (lots > MOST_NARROW_LOTS && !isWide(this.#lots)) this.#lots = widen(this.#lots);
    this.#lots[start + (key & LAST_OF_PAGE)] = lots;
    if (key < this.#bestKey) return;
    if (lots > 0) this.#bestKey = key;
    else if (key === this.#bestKey) this.#bestKey = this.#nextKey(key);
  }

  /**
   * Sets the levels of this side's rows from `from` on, up to the first row of the other side or to
   * `to`. Returns where it stopped.
   */
  setRows(rows: BookRows, from: number, to: number): number {
    const { signedTicks, lots } = rows;
    const isBid = this.side === "BUY";
    if (lots !== this.#column) this.#begin(lots);
    for (
      let row = this.#setPlain(signedTicks, lots, from, to);
      row < to;
      row = this.#setPlain(signedTicks, lots, row, to)
    ) {
      const key = signedTicks[row];
      if (key > 0 !== isBid) return row;
      this.set(key, lots[row++]);
    }
    return to;
  }

  /**
   * Sets the levels of rows that need a single write, which nearly all do: their page exists, and
   * they do not delete the best price. Stops at the first other row, at a row of the other side
   * (its pages are not here) or at `to`, and returns where it stopped. It is one loop without
   * calls, so that V8 keeps its variables in registers.
   */
  #setPlain(signedTicks: Int32Array, lots: LotsColumn, from: number, to: number): number {
    const shown = this.#lots;
    const pages = this.#pages;
    const firstPage = this.#firstPage;
    // Coerced to a 32-bit integer: otherwise V8 compares the length as floats.
    const reach = pages.length | 0;
    let bestKey = this.#bestKey;
    let row = from;
    for (; row < to; row++) {
      const key = signedTicks[row];
      const page = (key >> PAGE_BITS) - firstPage;
      if (page < 0 || page >= reach) break;
      const start = pages[page];
      if (start === 0) break;
      const resting = lots[row];
      if (key >= bestKey) {
        if (resting > 0) bestKey = key;
        else if (key === bestKey) break;
      }
      shown[start + (key & LAST_OF_PAGE)] = resting;
    }
    this.#bestKey = bestKey;
    return row;
  }

  /** Deletes every level from a key up to the best. */
  clearFrom(worstKey: number): void {
    while (this.#bestKey >= worstKey && this.#bestKey !== NO_KEY) this.set(this.#bestKey, 0);
  }

  walk(visit: (ticks: Ticks, lots: Lots) => boolean): void {
    this.walkKeys((key, lots) => visit(key * this.#sign, lots));
  }

  /** Visits every level by its key, best first, until `visit` returns false. */
  walkKeys(visit: (key: number, lots: Lots) => boolean): void {
    for (let key = this.#bestKey; key !== NO_KEY; key = this.#nextKey(key))
      if (!visit(key, this.lotsAtKey(key))) return;
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
    const shown = this.#lots;
    let levels = 0;
    let last = this.#bestKey & LAST_OF_PAGE;
    for (let page = this.#bestKey >> PAGE_BITS; page >= this.#firstPage && levels < most; page--) {
      const start = this.#startOf(page);
      for (let place = start === 0 ? -1 : last; place >= 0 && levels < most; place--) {
        const lots = shown[start + place];
        if (lots === 0) continue;
        pairs[2 * levels] = ((page << PAGE_BITS) + place) * sign;
        pairs[2 * levels + 1] = lots;
        levels++;
      }
      last = LAST_OF_PAGE;
    }
    return levels;
  }

  entries(): number[] {
    const flat: number[] = [];
    this.walk((ticks, lots) => flat.push(ticks, lots) > 0);
    return flat;
  }

  /**
   * The rows come from another column than before: if it is wide, this side's column must be wide
   * too.
   */
  #begin(column: LotsColumn): void {
    this.#column = column;
    if (isWide(column) && !isWide(this.#lots)) this.#lots = widen(this.#lots);
  }

  /** Offset of a page; 0, which is always empty, if the page does not exist. */
  #startOf(page: number): number {
    const at = page - this.#firstPage;
    return at >= 0 && at < this.#pages.length ? this.#pages[at] : 0;
  }

  /** The best key below a key; {@link NO_KEY} if there is none. */
  #nextKey(key: number): number {
    const lots = this.#lots;
    let last = (key - 1) & LAST_OF_PAGE;
    for (let page = (key - 1) >> PAGE_BITS; page >= this.#firstPage; page--) {
      const start = this.#startOf(page);
      if (start !== 0)
        for (let at = start + last; at >= start; at--)
          if (lots[at] !== 0) return (page << PAGE_BITS) + at - start;
      last = LAST_OF_PAGE;
    }
    return NO_KEY;
  }

  /** Makes an empty page. Returns its offset. */
  #addPage(page: number): number {
    if (page < this.#firstPage || page >= this.#firstPage + this.#pages.length) this.#reach(page);
    if (this.#free.length === 0 && this.#unused === this.#lots.length) this.#makeRoom();
    const start = this.#free.pop() ?? this.#unused;
    if (start === this.#unused) this.#unused += PAGE;
    this.#pages[page - this.#firstPage] = start;
    return start;
  }

  /** Grows the page table to include a page, and somewhat beyond it. */
  #reach(page: number): void {
    const pages = this.#pages;
    if (pages.length === 0) this.#firstPage = page;
    const first = Math.min(page, this.#firstPage) - REACH;
    const end = Math.max(page, this.#firstPage + pages.length) + REACH;
    this.#pages = new Int32Array(end - first);
    this.#pages.set(pages, this.#firstPage - first);
    this.#firstPage = first;
  }

  /**
   * Makes room for more pages. Once a side is large, it first frees the pages that a moving market
   * has left empty. It grows only if few were free.
   */
  #makeRoom(): void {
    const lots = this.#lots;
    if (
      lots.length >= MANY_PAGES << PAGE_BITS &&
      this.#takeBack() >= lots.length >> (PAGE_BITS + 1)
    )
      return;
    const pages = lots.length >> PAGE_BITS;
    const next = [FEW_PAGES, MORE_PAGES, MANY_PAGES].find((room) => room > pages) ?? 2 * pages;
    this.#lots = columnLike(lots, next << PAGE_BITS);
    this.#lots.set(lots);
  }

  /** Frees the pages that have no level. Returns their number. */
  #takeBack(): number {
    const pages = this.#pages;
    const lots = this.#lots;
    for (let at = 0; at < pages.length; at++) {
      const start = pages[at];
      if (start === 0 || lots.subarray(start, start + PAGE).some(isLevel)) continue;
      pages[at] = 0;
      this.#free.push(start);
    }
    return this.#free.length;
  }
}

const isLevel = (lots: Lots): boolean => lots > 0;
