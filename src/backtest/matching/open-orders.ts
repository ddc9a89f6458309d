import { RunError } from "../../core/errors.js";
import type { QueueModel, QueuePlace } from "../../core/queue/queue-models.js";
import { type Lots, type Side, sideSign, type Ticks } from "../../core/units.js";
import type { FillCause, MatchListener, OrderEnd, ReplayOrder } from "./matcher.js";
import { type OwnLevel, OwnSide } from "./own-side.js";

/**
 * The open orders of a matcher. It carries out what the matching rules decide: only here orders are
 * filled and ended, and the listener called.
 */
export class OpenOrders {
  readonly bids = new OwnSide();
  readonly asks = new OwnSide();
  readonly #listener: MatchListener;
  readonly #byId = new Map<number, ReplayOrder>();
  #nextExpiryUs = Number.POSITIVE_INFINITY;
  /** True if the listener was called since this was last set to false. */
  hasNotified = false;

  constructor(listener: MatchListener) {
    this.#listener = listener;
  }

  /** When the next of them expires; Infinity when none does. */
  get nextExpiryUs(): number {
    return this.#nextExpiryUs;
  }

  side(side: Side): OwnSide {
    return side === "BUY" ? this.bids : this.asks;
  }

  /**
   * Reports that an order was accepted.
   * @throws RunError for an order that is already open or partly filled
   */
  accept(order: ReplayOrder, atUs: number): void {
    if (this.#byId.has(order.id) || order.openLots !== order.lots || !(order.lots > 0)) {
      throw new RunError("cannot be placed", {
        field: `order ${order.id}`,
        value: order.openLots,
        expected: "a new order of which nothing is filled",
      });
    }
    this.hasNotified = true;
    this.#listener.accepted(order, atUs);
  }

  /**
   * Puts an order into the book, behind ours at its price.
   * @param arrivedUs as {@link RestingOrder.arrivedUs} has it.
   * @param isUnseen true if no recorded book shows that price.
   */
  rest(
    order: ReplayOrder,
    place: QueuePlace,
    shownLots: Lots,
    arrivedUs: number,
    isUnseen = false,
  ): void {
    this.#byId.set(order.id, order);
    this.side(order.side).add(
      priceKey(order),
      { order, place, isQueuePlaceKnown: !isUnseen, arrivedUs },
      shownLots,
    );
    if (order.expirationUs < this.#nextExpiryUs) this.#nextExpiryUs = order.expirationUs;
  }

  /**
   * Fills a part of an order, in the book or on arrival.
   * @param isDoubtful as {@link MatchListener.filled} has it.
   */
  fill(
    order: ReplayOrder,
    ticks: Ticks,
    lots: Lots,
    cause: FillCause,
    atUs: number,
    isDoubtful = false,
  ): void {
    order.openLots -= lots;
    if (order.openLots === 0) this.#forget(order);
    this.hasNotified = true;
    this.#listener.filled(order, ticks, lots, cause, atUs, isDoubtful);
  }

  /** Ends the rest of an order. */
  end(order: ReplayOrder, how: OrderEnd, atUs: number): void {
    this.#forget(order);
    this.hasNotified = true;
    this.#listener.ended(order, how, atUs);
  }

  /** False when no such order is open. */
  cancel(id: number, atUs: number): boolean {
    const order = this.#byId.get(id);
    if (order === undefined) return false;
    this.end(order, "cancelled", atUs);
    return true;
  }

  /** Ends every order whose time is over, the oldest first. */
  expire(atUs: number): void {
    const due = [...this.#byId.values()].filter(({ expirationUs }) => expirationUs <= atUs);
    for (const order of due.sort((a, b) => a.expirationUs - b.expirationUs || a.id - b.id))
      this.end(order, "expired", atUs);
  }

  /**
   * Fills orders of one side from its best to the price of `leastKey`, best and oldest first, each
   * at its own price.
   * @param ambiguousFromUs an order that arrived then or later is not known to have rested.
   * @param mostLots available size for all of them.
   * @returns the filled lots.
   */
  fillDownTo(
    side: OwnSide,
    leastKey: number,
    cause: FillCause,
    atUs: number,
    ambiguousFromUs: number,
    mostLots = Number.POSITIVE_INFINITY,
  ): Lots {
    let filled = 0;
    while (side.bestKey >= leastKey && filled < mostLots) {
      const { order, arrivedUs } = side.levels[0].orders[0];
      const lots = Math.min(order.openLots, mostLots - filled);
      filled += lots;
      this.fill(order, order.ticks, lots, cause, atUs, arrivedUs >= ambiguousFromUs);
    }
    return filled;
  }

  /**
   * Fills orders from a trade at one of our prices as far as it reached them by the queue model.
   * The volume that one of our orders took did not reach those behind it.
   */
  fillByQueue(
    level: OwnLevel,
    tradedLots: Lots,
    queue: QueueModel<QueuePlace>,
    atUs: number,
  ): void {
    let left = tradedLots;
    for (let at = 0; at < level.orders.length && left > 0; ) {
      const resting = level.orders[at];
      const { order, arrivedUs } = resting;
      const place = queue.onTrade(resting.place, left);
      const lots = Math.min(queue.executableLots(place), order.openLots, left);
      resting.place = queue.onTaken(place);
      if (lots > 0) {
        left -= lots;
        this.fill(order, order.ticks, lots, "queue", atUs, arrivedUs === Number.POSITIVE_INFINITY);
      }
      if (order.openLots > 0) at++;
    }
  }

  #forget(order: ReplayOrder): void {
    if (!this.#byId.delete(order.id)) return;
    this.side(order.side).remove(priceKey(order), order);
    if (order.expirationUs > this.#nextExpiryUs) return;
    this.#nextExpiryUs = Number.POSITIVE_INFINITY;
    for (const { expirationUs } of this.#byId.values())
      this.#nextExpiryUs = Math.min(this.#nextExpiryUs, expirationUs);
  }
}

/** The price of an order as `PagedBookSide` counts prices on the order's own side. */
export function priceKey({ side, ticks }: ReplayOrder): number {
  return sideSign(side) * ticks;
}
