import { type Lots, signOf } from "../../core/units.js";
import { type Tape, TapeKind } from "../../history/columns/tape.js";
import { BookMatcher, type BookMatcherOptions } from "../matching/book-matcher.js";
import type { ReplayOrder } from "../matching/matcher.js";
import { keyOf } from "../matching/own-orders.js";
import type { OwnSide } from "../matching/own-side.js";

/** The exchange stamps whole milliseconds: what happened in one of them may have happened either way round. */
const STAMP_US = 1_000;

interface OwnFill {
  readonly key: number;
  readonly lots: Lots;
  readonly atUs: number;
}

/**
 * Matches recorded orders against a market that they were in when it was recorded. Whoever came to the price of an order traded with it, and that was printed at
 * its price. So a trade beyond its price, or a book that comes to it, fills no more of it than was printed there while it stood; what is left was not there: its
 * stamp or the book's is wrong by a little, and it ends.
 */
export class SharedMarketMatcher extends BookMatcher {
  readonly #tape: Tape;
  readonly #placedUs = new Map<number, number>();
  readonly #fills: readonly OwnFill[];
  readonly #onAbsent: (order: ReplayOrder, atUs: number) => void;

  /** @param onAbsent is told of an order that was not there, before it is ended as a cancel would end it. */
  constructor(options: BookMatcherOptions, onAbsent: (order: ReplayOrder, atUs: number) => void) {
    const { listener } = options;
    const fills: OwnFill[] = [];
    super({
      ...options,
      listener: {
        accepted: (order, atUs) => listener.accepted(order, atUs),
        filled: (order, ticks, lots, cause, atUs) => {
          fills.push({ key: signOf(order.side) * ticks, lots, atUs });
          listener.filled(order, ticks, lots, cause, atUs);
        },
        ended: (order, how, atUs) => listener.ended(order, how, atUs),
      },
    });
    this.#fills = fills;
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
      const lots = Math.min(order.openLots, this.#givenToOthers(keyOf(order), placedUs, atUs));
      if (lots > 0) this.own.fill(order, order.ticks, lots, cause, atUs);
      if (order.openLots === 0 || atUs - placedUs < STAMP_US) continue;
      this.#onAbsent(order, atUs);
      this.own.end(order, "cancelled", atUs);
    }
  }

  /** What was printed at a price after one instant, up to and at another, and is no fill of ours. */
  #givenToOthers(key: number, afterUs: number, untilUs: number): Lots {
    const { exchangeUs, kind, rowEnd, signedTicks, lots } = this.#tape;
    let left = 0;
    for (let message = firstAfter(exchangeUs, untilUs) - 1; message >= 0 && (exchangeUs[message] as number) > afterUs; message--) {
      const row = (rowEnd[message] as number) - 1;
      // A taker who sold prints at a key of the bids, one who bought at a key of the asks, of the other sign.
      if (kind[message] === TapeKind.trade && signedTicks[row] === -key) left += lots[row] as number;
    }
    for (let at = this.#fills.length - 1; at >= 0; at--) {
      const fill = this.#fills[at] as OwnFill;
      if (fill.atUs <= afterUs) break;
      if (fill.key === key) left -= fill.lots;
    }
    return left;
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
