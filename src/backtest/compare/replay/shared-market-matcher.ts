import { type Lots, sideSign } from "../../../core/units.js";
import { type Tape, TapeKind } from "../../../history/columns/tape/tape.js";
import { BookMatcher, type BookMatcherOptions } from "../../matching/book-matcher.js";
import type { ReplayOrder } from "../../matching/matcher.js";
import { priceKey } from "../../matching/open-orders.js";
import type { OwnSide } from "../../matching/own-side.js";

/** The exchange stamps whole milliseconds: what happened in one of them may have happened either way round. */
const STAMP_US = 1_000;
/**
 * An exchange stamps an order when it takes it in, and its trades when it matches it: up to 19 ms later was measured where it had to wait for a
 * processor, and 41 ms once. Little hangs on it, since what ends an order's taking is looked for too: with 25 ms as with 50 captures that drive the exchange are alike to the same
 * percent, and of six live sessions one is alike to 99.9 with 25 and to 100 with 50.
 */
export const MATCHED_WITHIN_US = 50_000;

/** What a {@link SharedMarketMatcher} asks and tells of the orders that it matches. */
export interface SharedMatcherDeps {
  /** When a cancel of an order will arrive; Infinity where none does. */
  cancelUs(order: ReplayOrder): number;
  /** An order was not there: told before it is ended as a cancel would end it. */
  onAbsent(order: ReplayOrder, atUs: number): void;
}

interface OwnFill {
  readonly key: number;
  readonly lots: Lots;
  readonly atUs: number;
}

/**
 * Matches recorded orders against a market that they were in when it was recorded. Whoever came to the price of an order traded with it, and that was printed at
 * its price. So a trade beyond its price, or a book that comes to it, fills no more of it than was printed there while it stood; what is left was not there: its
 * stamp or the book's is wrong by a little, and it ends. What an order took when it arrived was printed too, to its own side and within its limit, where nobody
 * passes an order that rests: so it has those prints, and nothing that a book shows.
 */
export class SharedMarketMatcher extends BookMatcher {
  readonly #tape: Tape;
  readonly #placedUs = new Map<number, number>();
  readonly #fills: readonly OwnFill[];
  readonly #orders: SharedMatcherDeps;

  constructor(options: BookMatcherOptions, orders: SharedMatcherDeps) {
    const { listener } = options;
    const fills: OwnFill[] = [];
    // Its own amounts: what our takers printed is taken out of them.
    const tape = { ...options.tape, lots: options.tape.lots.slice() };
    super({
      ...options,
      tape,
      listener: {
        accepted: (order, atUs) => listener.accepted(order, atUs),
        filled: (order, ticks, lots, cause, atUs, isDoubtful) => {
          if (cause !== "taker") fills.push({ key: sideSign(order.side) * ticks, lots, atUs });
          listener.filled(order, ticks, lots, cause, atUs, isDoubtful);
        },
        ended: (order, how, atUs) => listener.ended(order, how, atUs),
      },
    });
    this.#fills = fills;
    this.#tape = tape;
    this.#orders = orders;
  }

  override place(order: ReplayOrder, atUs: number): void {
    this.#placedUs.set(order.id, atUs);
    super.place(order, atUs);
  }

  protected override wouldTake(order: ReplayOrder): boolean {
    return order.timeInForce !== "POST_ONLY" || super.wouldTake(order);
  }

  protected override take(order: ReplayOrder, atUs: number): void {
    const { signedTicks, lots } = this.#tape;
    const rows = this.#printsOf(order, atUs);
    if (
      order.timeInForce === "FOK" &&
      rows.reduce((sum, row) => sum + (lots[row] as number), 0) < order.openLots
    )
      return;
    for (const row of rows) {
      const taken = Math.min(order.openLots, lots[row] as number);
      if (taken === 0) return;
      // What one of ours took fills no other.
      lots[row] = (lots[row] as number) - taken;
      this.own.fill(order, Math.abs(signedTicks[row] as number), taken, "taker", atUs);
    }
  }

  /** The rows of the prints that an order made which arrived at an instant. */
  #printsOf(order: ReplayOrder, atUs: number): number[] {
    const { exchangeUs, kind, rowEnd, signedTicks, lots, messages } = this.#tape;
    const sign = sideSign(order.side);
    const limit = Number.isNaN(order.ticks) ? Number.POSITIVE_INFINITY : priceKey(order);
    const untilUs = Math.min(atUs + MATCHED_WITHIN_US, this.#orders.cancelUs(order));
    const rows: number[] = [];
    for (
      let message = firstAfter(exchangeUs, atUs);
      message < messages && (exchangeUs[message] as number) < untilUs;
      message++
    ) {
      if (kind[message] !== TapeKind.trade) continue;
      const row = (rowEnd[message] as number) - 1;
      const signed = signedTicks[row] as number;
      // Who came to its price found it at rest: what follows is not its taking.
      if (signed === -priceKey(order)) break;
      if (signed * sign > 0 && signed <= limit && (lots[row] as number) > 0) rows.push(row);
    }
    return rows;
  }

  protected override passed(
    side: OwnSide,
    leastKey: number,
    cause: "through" | "cross",
    atUs: number,
  ): void {
    const passed = side.levels
      .filter(({ key }) => key >= leastKey)
      .flatMap(({ orders }) => orders.map(({ order }) => order));
    for (const order of passed) {
      const placedUs = this.#placedUs.get(order.id) as number;
      const lots = Math.min(order.openLots, this.#givenToOthers(priceKey(order), placedUs, atUs));
      if (lots > 0) this.own.fill(order, order.ticks, lots, cause, atUs);
      if (order.openLots === 0 || atUs - placedUs < STAMP_US) continue;
      this.#orders.onAbsent(order, atUs);
      this.own.end(order, "cancelled", atUs);
    }
  }

  /** What was printed at a price after one instant, up to and at another, and is no fill of ours that rested. */
  #givenToOthers(key: number, afterUs: number, untilUs: number): Lots {
    const { exchangeUs, kind, rowEnd, signedTicks, lots } = this.#tape;
    let left = 0;
    for (
      let message = firstAfter(exchangeUs, untilUs) - 1;
      message >= 0 && (exchangeUs[message] as number) > afterUs;
      message--
    ) {
      const row = (rowEnd[message] as number) - 1;
      // A taker who sold prints at a key of the bids, one who bought at a key of the asks, of the other sign.
      if (kind[message] === TapeKind.trade && signedTicks[row] === -key)
        left += lots[row] as number;
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
