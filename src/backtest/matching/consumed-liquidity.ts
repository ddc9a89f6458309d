import type { Lots } from "../../core/units.js";
import type { KnownDepth } from "../../market/book/known-depth.js";
import { NO_KEY, type PagedBookSide } from "../book/paged-book-side.js";

interface ConsumedLevel {
  lots: Lots;
  /** What the recording showed when `lots` was last held against it; undefined where the book was lost since, and nothing was told of the level. */
  shownLots: Lots | undefined;
}

/**
 * What our own takers took of one side of a recorded book. The recording does not know of it, so here it stays taken: of a level that
 * we took from, only what the recording adds to it afterwards is there for us, and all of it once it went and came back.
 */
export class ConsumedLiquidity {
  readonly #side: PagedBookSide;
  readonly #byKey = new Map<number, ConsumedLevel>();

  constructor(side: PagedBookSide) {
    this.#side = side;
  }

  /** Whether nothing of what we took still counts. */
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

  /** Shows what is left of every level, by its key, best first, until `visit` returns false. */
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

  /** The book is lost: of what we took nothing is known to have gone. */
  onBookLost(): void {
    for (const taken of this.#byKey.values()) taken.shownLots = undefined;
  }

  /** Holds what was taken against a recorded book that has gone on. @param known how far it tells of this side */
  refresh(known: KnownDepth): void {
    for (const [key, taken] of this.#byKey) {
      const shown = this.#side.lotsAtKey(key);
      const isTold = taken.shownLots !== undefined || shown > 0 || known.knows(key);
      if (shown === taken.shownLots || !isTold) continue;
      // What went meanwhile cannot have been more than what we had left: the rest of it was ours.
      taken.lots = Math.min(taken.lots, shown);
      taken.shownLots = shown;
      if (taken.lots === 0) this.#byKey.delete(key);
    }
  }

  #consumedAt(key: number): Lots {
    return this.#byKey.get(key)?.lots ?? 0;
  }
}
