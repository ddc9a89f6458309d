import type { Lots, Side, Ticks } from "../../core/units.js";
import type { ReadableSide } from "../../market/readable-book.js";
import type { Level } from "../../market/view.js";
import { NO_KEY, type ReplaySide } from "../book/replay-side.js";

/**
 * One side of a book whose best level is known at once and whose others have yet to be brought up to date: whoever reads farther than the best has that
 * done first.
 */
export class TrailingSide implements ReadableSide {
  readonly side: Side;
  /** Key of the best price, as {@link ReplaySide} counts them; its `NO_KEY` on an empty side. */
  bestKey = NO_KEY;
  /** Lots at the best price; 0 on an empty side. */
  bestLots: Lots = 0;
  readonly #sign: 1 | -1;
  readonly #levels: ReplaySide;
  readonly #catchUp: () => void;

  /** @param catchUp brings `levels` up to date. */
  constructor(levels: ReplaySide, catchUp: () => void) {
    this.side = levels.side;
    this.#sign = levels.side === "BUY" ? 1 : -1;
    this.#levels = levels;
    this.#catchUp = catchUp;
  }

  get bestTicks(): Ticks {
    return this.bestKey === NO_KEY ? Number.NaN : this.bestKey * this.#sign;
  }

  get levels(): number {
    return this.#whole.levels;
  }

  lotsOf(ticks: Ticks): Lots {
    return this.#whole.lotsOf(ticks);
  }

  walk(visit: (ticks: Ticks, lots: Lots) => boolean): void {
    this.#whole.walk(visit);
  }

  topInto(pairs: Float64Array, most: number): number {
    if (most > 1) return this.#whole.topInto(pairs, most);
    if (most < 1 || this.bestKey === NO_KEY) return 0;
    pairs[0] = this.bestKey * this.#sign;
    pairs[1] = this.bestLots;
    return 1;
  }

  top(depth: number): Level[] {
    return this.#whole.top(depth);
  }

  get #whole(): ReplaySide {
    this.#catchUp();
    return this.#levels;
  }
}
