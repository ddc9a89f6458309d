import type { Lots } from "../../core/units.js";
import { type Tape, TapeKind } from "../../history/columns/tape.js";
import { BookMatcher, type BookMatcherOptions } from "../matching/book-matcher.js";
import type { ReplayOrder } from "../matching/matcher.js";
import { keyOf } from "../matching/own-orders.js";
import type { OwnSide } from "../matching/own-side.js";

/** The exchange stamps whole milliseconds: what happened in one of them may have happened either way round. */
const STAMP_US = 1_000;

/**
 * Matches recorded orders against a market that they were in when it was recorded. Whoever came to the price of an order traded with it, and that was printed at
 * its price. So a trade beyond its price, or a book that comes to it, fills no more of it than was printed there while it stood; what is left was not there: its
 * stamp or the book's is wrong by a little, and it ends.
 */
export class SharedMarketMatcher extends BookMatcher {
  readonly #tape: Tape;
  readonly #placedUs = new Map<number, number>();
  readonly #onAbsent: (order: ReplayOrder, atUs: number) => void;

  /** @param onAbsent is told of an order that was not there, before it is ended as a cancel would end it. */
  constructor(options: BookMatcherOptions, onAbsent: (order: ReplayOrder, atUs: number) => void) {
    super(options);
    this.#tape = options.tape;
    this.#onAbsent = onAbsent;
  }

  override place(order: ReplayOrder, atUs: number): void {
    this.#placedUs.set(order.id, atUs);
    super.place(order, atUs);
  }

  protected override passed(side: OwnSide, leastKey: number, cause: "through" | "cross", atUs: number): void {
    const passed = side.levels.filter(({ key }) => key >= leastKey).flatMap(({ orders }) => orders.map(({ order }) => order));
    for (const order of passed) {
      const placedUs = this.#placedUs.get(order.id) as number;
      const lots = Math.min(order.openLots, this.#printedLots(keyOf(order), placedUs, atUs) - (order.lots - order.openLots));
      if (lots > 0) this.own.fill(order, order.ticks, lots, cause, atUs);
      if (order.openLots === 0 || atUs - placedUs < STAMP_US) continue;
      this.#onAbsent(order, atUs);
      this.own.end(order, "cancelled", atUs);
    }
  }

  /** What traded at a price after one instant, up to and at another. */
  #printedLots(key: number, afterUs: number, untilUs: number): Lots {
    const { exchangeUs, kind, rowEnd, signedTicks, lots } = this.#tape;
    let printed = 0;
    for (let message = firstAfter(exchangeUs, untilUs) - 1; message >= 0 && (exchangeUs[message] as number) > afterUs; message--) {
      const row = (rowEnd[message] as number) - 1;
      // A taker who sold prints at a key of the bids, one who bought at a key of the asks, of the other sign.
      if (kind[message] === TapeKind.trade && signedTicks[row] === -key) printed += lots[row] as number;
    }
    return printed;
  }
}

/** Where the first instant above one lies among ascending ones. */
function firstAfter(instants: Float64Array, us: number): number {
  let [low, high] = [0, instants.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((instants[middle] as number) <= us) low = middle + 1;
    else high = middle;
  }
  return low;
}
