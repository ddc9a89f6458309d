import type { QueueModel, QueuePlace } from "../../core/queue/queue-models.js";
import { type Lots, sideSign } from "../../core/units.js";
import { type Tape, TapeKind } from "../../history/columns/tape/tape.js";
import { KnownDepth, worstKeys } from "../../market/book/known-depth.js";
import { NO_KEY, type PagedBookSide } from "../book/paged-book-side.js";
import { ReplayBook } from "../book/replay-book.js";
import { ConsumedLiquidity } from "./consumed-liquidity.js";
import type { ExchangeTouch, MatchListener, ReplayOrder, TouchListener } from "./matcher.js";
import { priceKey } from "./open-orders.js";
import type { OwnLevel, OwnSide } from "./own-side.js";
import { TapeMatcher } from "./tape-matcher.js";

/** Options of a {@link BookMatcher}. */
export interface BookMatcherOptions {
  /** Books and trades of the market. */
  readonly tape: Tape;
  readonly listener: MatchListener;
  /** The queue model that places our orders in the recorded queues. */
  readonly queue: QueueModel<QueuePlace>;
  /**
   * False: every fill fills the whole order, and a taker's is at the best price whatever its size.
   * Our orders then do not consume liquidity from each other. Only for comparison with engines that
   * count so. Default: true.
   */
  readonly partialFills?: boolean;
  readonly onTouch?: TouchListener;
}

/** Behind everything that the first book with the price will show there. */
const BEHIND_ALL_DEPTH: QueuePlace = { frontLots: Number.POSITIVE_INFINITY, tradedLots: 0 };
/** For a longer message, checking our levels is faster than checking its rows. */
const FEW_ROWS = 16;
/**
 * The longest batching delay of any known exchange: the slowest of Binance's streams publishes
 * every second.
 */
const GATHERED_AT_MOST_US = 1_000_000;

/**
 * Matches our orders against recorded books and trades, on the exchange's clock. A resting order is
 * always filled at its own price, by one of three rules. A trade at that price fills it as far as
 * the queue model says that the trade reached it. A trade beyond the price fills it wholly. So does
 * the other side's best price when it reaches the order's. A message is applied whole before orders
 * are tested against it. A taker takes the displayed levels one by one, up to and including its
 * limit; the rest of a GTC or GTT order rests. History does not contain our orders and does not
 * react to them.
 *
 * An exchange batches book changes before it publishes them, and rarely says when each happened. So
 * the first book published after an order arrived may show a state from before it. Where stamps are
 * slightly off, the second may too. A fill by a trade beyond the price or by a cross until then,
 * within a second, is ambiguous. A trade at the order's own price is not: its taker sold at a bid's
 * price, so nobody offered at that price. If an order arrives while no book is known, every fill of
 * it is ambiguous, at any time.
 */
export class BookMatcher extends TapeMatcher {
  /** The recorded book on the exchange's clock. */
  readonly book = new ReplayBook();
  readonly touch: ExchangeTouch;
  readonly #queue: QueueModel<QueuePlace>;
  readonly #partialFills: boolean;
  readonly #onTouch: TouchListener | undefined;
  readonly #consumedBids: ConsumedLiquidity;
  readonly #consumedAsks: ConsumedLiquidity;
  /**
   * True if we consumed liquidity that the book may still show: then every message must be tested.
   */
  #hasConsumed = false;
  readonly #knownBids = new KnownDepth();
  readonly #knownAsks = new KnownDepth();
  /** Stamps of the last three published books, the newest first. */
  #lastBookUs = Number.NEGATIVE_INFINITY;
  #secondLastBookUs = Number.NEGATIVE_INFINITY;
  #thirdLastBookUs = Number.NEGATIVE_INFINITY;

  constructor({ tape, listener, queue, partialFills = true, onTouch }: BookMatcherOptions) {
    super(tape, listener);
    this.#queue = queue;
    this.#partialFills = partialFills;
    this.#onTouch = onTouch;
    const { bids, asks } = this.book;
    this.#consumedBids = new ConsumedLiquidity(bids);
    this.#consumedAsks = new ConsumedLiquidity(asks);
    this.touch = {
      get bidTicks() {
        return bids.bestTicks;
      },
      get askTicks() {
        return asks.bestTicks;
      },
    };
  }

  protected playStretch(untilUs: number, inclusive: boolean): number {
    const { messages, exchangeUs, kind, rowEnd, signedTicks, lots } = this.tape;
    const { own } = this;
    const { bids, asks } = own;
    let message = this.next;
    let from = message === 0 ? 0 : rowEnd[message - 1];
    while (message < messages) {
      const atUs = exchangeUs[message];
      if (atUs > untilUs || (atUs === untilUs && !inclusive)) break;
      const to = rowEnd[message];
      if (kind[message] === TapeKind.trade) {
        const ticks = Math.abs(signedTicks[from]);
        // Nearly all trades print between our prices, whichever side took.
        if (ticks <= bids.bestKey || -ticks <= asks.bestKey) {
          // A taker who sold printed at a key of the bids; one who bought printed at a key of the
          // asks, with the other sign.
          const key = -signedTicks[from];
          const side = key > 0 ? bids : asks;
          if (side.bestKey >= key) this.#print(side, key, lots[from], atUs);
        }
      } else {
        this.#applyBook(message, from, to, atUs);
      }
      from = to;
      message++;
      if (own.hasNotified) break;
    }
    this.next = message;
    return message === 0 ? Number.NEGATIVE_INFINITY : exchangeUs[message - 1];
  }

  #applyBook(message: number, from: number, to: number, atUs: number): void {
    const { tape } = this;
    if (atUs > this.#lastBookUs && tape.kind[message] !== TapeKind.bookLost) {
      this.#thirdLastBookUs = this.#secondLastBookUs;
      this.#secondLastBookUs = this.#lastBookUs;
      this.#lastBookUs = atUs;
    }
    const { book } = this;
    const bidKey = book.bids.bestKey;
    const askKey = book.asks.bestKey;
    const isUpdate = tape.kind[message] === TapeKind.bookUpdate;
    if (isUpdate) book.applyRows(tape, from, to);
    else {
      book.applySnapshot(tape, from, to);
      this.#learnReach(message, from, to);
    }
    if (book.bids.bestKey !== NO_KEY) this.#knownBids.best(book.bids.bestKey);
    if (book.asks.bestKey !== NO_KEY) this.#knownAsks.best(book.asks.bestKey);
    if (
      this.#onTouch !== undefined &&
      (book.bids.bestKey !== bidKey || book.asks.bestKey !== askKey)
    ) {
      this.#onTouch(atUs, book.bids.bestTicks, book.asks.bestTicks);
    }
    if (this.#hasConsumed) this.#refreshConsumed();
    else if (isUpdate && to - from <= FEW_ROWS && !this.#mayMatter(from, to)) return;
    const { bids, asks } = this.own;
    if (bids.bestKey !== NO_KEY) this.#test(bids, book.bids, this.#consumedAsks, atUs);
    if (asks.bestKey !== NO_KEY) this.#test(asks, book.asks, this.#consumedBids, atUs);
  }

  #learnReach(message: number, from: number, to: number): void {
    const { tape } = this;
    if (tape.kind[message] !== TapeKind.bookLost) {
      const least = worstKeys(tape.signedTicks, from, to);
      this.#knownBids.snapshot(least.bids);
      this.#knownAsks.snapshot(least.asks);
      return;
    }
    for (const known of [this.#knownBids, this.#knownAsks]) known.lose();
    for (const taken of [this.#consumedBids, this.#consumedAsks]) taken.onBookLost();
    for (const { levels } of [this.own.bids, this.own.asks]) levels.forEach(lose);
  }

  /** Updates the queue positions of our orders at one price. */
  #updateQueuePlaces(level: OwnLevel, side: PagedBookSide): void {
    const shownLots = side.lotsAtKey(level.key);
    const before = level.shownLots;
    if (level.isDepthUnknown) {
      const known = side === this.book.bids ? this.#knownBids : this.#knownAsks;
      if (shownLots === before && !known.knows(level.key)) return;
      level.isDepthUnknown = false;
      for (const resting of level.orders) {
        resting.place = resting.isQueuePlaceKnown
          ? this.#queue.onDepth(resting.place, before, shownLots)
          : this.#queue.onAccept(shownLots);
        resting.isQueuePlaceKnown = true;
      }
    } else {
      if (shownLots === before) return;
      for (const resting of level.orders)
        resting.place = this.#queue.onDepth(resting.place, before, shownLots);
    }
    level.shownLots = shownLots;
  }

  /**
   * True if any of a few rows lies between our prices of its side, or reaches those of the other.
   */
  #mayMatter(from: number, to: number): boolean {
    const { signedTicks } = this.tape;
    const { bids, asks } = this.own;
    for (let row = from; row < to; row++) {
      const key = signedTicks[row];
      const same = key > 0 ? bids : asks;
      const other = key > 0 ? asks : bids;
      if ((key <= same.bestKey && key >= same.worstKey) || key >= -other.bestKey) return true;
    }
    return false;
  }

  #refreshConsumed(): void {
    this.#consumedBids.refresh(this.#knownBids);
    this.#consumedAsks.refresh(this.#knownAsks);
    this.#hasConsumed = !(this.#consumedBids.isEmpty && this.#consumedAsks.isEmpty);
  }

  /** Tests one side of our orders against a book that has changed. */
  #test(own: OwnSide, side: PagedBookSide, opposite: ConsumedLiquidity, atUs: number): void {
    const { levels } = own;
    for (let at = 0; at < levels.length; at++) this.#updateQueuePlaces(levels[at], side);
    const reachedKey = -opposite.bestKey;
    if (own.bestKey >= reachedKey)
      this.passed(
        own,
        reachedKey,
        "cross",
        atUs,
        Math.max(this.#thirdLastBookUs, atUs - GATHERED_AT_MOST_US),
      );
  }

  /**
   * Handles a trade beyond our prices, or the other side's best price reaching them: from the best
   * down to the price of a key.
   * @param ambiguousFromUs an order that arrived then or later may have met on arrival what was
   * published now, or what traded now.
   */
  protected passed(
    side: OwnSide,
    leastKey: number,
    cause: "through" | "cross",
    atUs: number,
    ambiguousFromUs: number,
  ): void {
    this.own.fillDownTo(side, leastKey, cause, atUs, ambiguousFromUs);
  }

  /** Handles a trade at our best price or beyond it. */
  #print(side: OwnSide, key: number, lots: Lots, atUs: number): void {
    if (side.bestKey > key)
      this.passed(
        side,
        key + 1,
        "through",
        atUs,
        Math.max(this.#secondLastBookUs, atUs - GATHERED_AT_MOST_US),
      );
    if (side.bestKey !== key) return;
    const level = side.levels[0];
    if (level.isDepthUnknown)
      this.#updateQueuePlaces(level, side === this.own.bids ? this.book.bids : this.book.asks);
    if (this.#partialFills) {
      this.own.fillByQueue(level, lots, this.#queue, atUs);
      return;
    }
    for (const resting of [...level.orders]) {
      const place = this.#queue.onTrade(resting.place, lots);
      const { order, arrivedUs } = resting;
      if (this.#queue.executableLots(place) > 0) {
        this.own.fill(
          order,
          order.ticks,
          order.openLots,
          "queue",
          atUs,
          arrivedUs === Number.POSITIVE_INFINITY,
        );
      } else resting.place = place;
    }
  }

  protected wouldTake(order: ReplayOrder): boolean {
    return this.#counterpart(order).bestKey >= limitKeyOf(order);
  }

  protected take(order: ReplayOrder, atUs: number): void {
    const taken = this.#counterpart(order);
    const limitKey = limitKeyOf(order);
    const sign = -sideSign(order.side);
    if (!this.#partialFills) {
      this.own.fill(order, taken.bestKey * sign, order.openLots, "taker", atUs);
      return;
    }
    if (order.timeInForce === "FOK" && !reaches(taken, limitKey, order.openLots)) return;
    this.#hasConsumed = true;
    taken.walkKeys((key, left) => {
      if (key < limitKey) return false;
      const lots = Math.min(left, order.openLots);
      taken.consume(key, lots);
      this.own.fill(order, key * sign, lots, "taker", atUs);
      return order.openLots > 0;
    });
  }

  protected rest(order: ReplayOrder, arrivedUs: number): void {
    const isBuy = order.side === "BUY";
    const key = priceKey(order);
    const shownLots = (isBuy ? this.book.bids : this.book.asks).lotsAtKey(key);
    const known = isBuy ? this.#knownBids : this.#knownAsks;
    const isUnseen = !known.knows(key);
    const place = isUnseen && shownLots === 0 ? BEHIND_ALL_DEPTH : this.#queue.onAccept(shownLots);
    this.own.rest(
      order,
      place,
      shownLots,
      this.#isFacingNothing(isBuy) && arrivedUs !== Number.NEGATIVE_INFINITY
        ? Number.POSITIVE_INFINITY
        : arrivedUs,
      isUnseen,
    );
  }

  /**
   * True if the side that an order would take from is unknown: before the first book, or since the
   * book was lost.
   */
  #isFacingNothing(isBuy: boolean): boolean {
    const { bids, asks } = this.book;
    return (
      (isBuy ? asks : bids).bestKey === NO_KEY &&
      (isBuy ? this.#knownAsks : this.#knownBids).isUnknown
    );
  }

  /** The liquidity that a taking order would consume. */
  #counterpart({ side }: ReplayOrder): ConsumedLiquidity {
    return side === "BUY" ? this.#consumedAsks : this.#consumedBids;
  }
}

/**
 * A lost book does not show which orders left the queue. Our positions do not improve by it. Where
 * a position was not known, no trade reaches us.
 */
function lose(level: OwnLevel): void {
  level.isDepthUnknown = true;
  level.shownLots = 0;
  for (const resting of level.orders)
    if (!resting.isQueuePlaceKnown) resting.place = BEHIND_ALL_DEPTH;
}

/**
 * The worst key of the other side that an order takes. The other side's keys have the opposite
 * sign.
 */
function limitKeyOf(order: ReplayOrder): number {
  return Number.isNaN(order.ticks) ? NO_KEY + 1 : -priceKey(order);
}

/** True if at least this size is left down to the limit. */
function reaches(taken: ConsumedLiquidity, limitKey: number, lots: Lots): boolean {
  let found = 0;
  taken.walkKeys((key, left) => {
    if (key < limitKey) return false;
    found += left;
    return found < lots;
  });
  return found >= lots;
}
