import type { Lots } from "../../core/units.js";
import type { KnownDepth } from "../../market/book/known-depth.js";
import { NO_KEY, type PagedBookSide } from "../book/paged-book-side.js";

interface ConsumedLevel {
  lots: Lots;
  /**
   * The displayed size when `lots` was last compared with it; undefined where the book was lost
   * since and the level was not published again.
   */
  shownLots: Lots | undefined;
}

/**
 * The liquidity that our own takers consumed on one side of a recorded book. The recording does not
 * contain it, so it stays consumed here. Of a level that we took from, only later additions are
 * available to us. All of it is available once the level disappeared and came back.
 */
export class ConsumedLiquidity {
  readonly #side: PagedBookSide;
  readonly #byKey = new Map<number, ConsumedLevel>();

  constructor(side: PagedBookSide) {
    this.#side = side;
  }

  /** True if nothing that we consumed still counts. */
  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  /** Key of the best price at which something is left; `NO_KEY` when nothing is. */
  get bestKey(): number {
    if (this.#byKey.size === 0) return this.#side.bestKey;
    let best = NO_KEY;
    this.#side.walkKeys((key, lots) => {
      if (lots <= this.#consumedAt(key)) return true;
      best = key;
      return false;
    });
    return best;
  }

  /**
   * Visits the remaining size of every level, by its key, best first, until `visit` returns false.
   */
  walkKeys(visit: (key: number, lots: Lots) => boolean): void {
    this.#side.walkKeys((key, lots) => {
      const left = lots - this.#consumedAt(key);
      return left <= 0 || visit(key, left);
    });
  }

  consume(key: number, lots: Lots): void {
    this.#byKey.set(key, {
      lots: this.#consumedAt(key) + lots,
      shownLots: this.#side.lotsAtKey(key),
    });
  }

  /** The book is lost: nothing that we consumed is known to have gone. */
  onBookLost(): void {
    for (const taken of this.#byKey.values()) taken.shownLots = undefined;
  }

  /**
   * Compares the consumed sizes with a recorded book that has changed.
   * @param known the depth of this side that the book shows
   */
  refresh(known: KnownDepth): void {
    for (const [key, taken] of this.#byKey) {
      const shown = this.#side.lotsAtKey(key);
      const isTold = taken.shownLots !== undefined || shown > 0 || known.knows(key);
      if (shown === taken.shownLots || !isTold) continue;
      // At most what we had left can have gone meanwhile: the rest was consumed by us.
      taken.lots = Math.min(taken.lots, shown);
      taken.shownLots = shown;
      if (taken.lots === 0) this.#byKey.delete(key);
    }
  }

  #consumedAt(key: number): Lots {
    return this.#byKey.get(key)?.lots ?? 0;
  }
}
