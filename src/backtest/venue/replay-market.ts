import type { Lots, MarketId, Side, Ticks } from "../../core/units.js";
import type { OrderType, TimeInForce, VenueOrder } from "../../exchange/records.js";
import type { PlaceAction } from "../../exchange/venue.js";
import type {
  FillCause,
  Matcher,
  MatchListener,
  OrderEnd,
  ReplayOrder,
} from "../matching/matcher.js";
import type { RunObserver } from "../record/run-observer.js";
import { EndedOrders } from "./ended-orders.js";
import { ExchangeOrder } from "./exchange-order.js";
import type { MarketTerms } from "./market-terms.js";
import { MarketVolume } from "./market-volume.js";

/** Of an order that no action of this run placed. */
const NO_ACTION = 0;

/** Receives the events of our orders at the exchange, once its books have them. */
export interface OrderListener {
  accepted(held: ExchangeOrder, atUs: number): void;
  /** @param isDoubtful as {@link MatchListener.filled} has it. */
  filled(
    held: ExchangeOrder,
    ticks: Ticks,
    lots: Lots,
    cause: FillCause,
    atUs: number,
    isDoubtful: boolean,
  ): void;
  ended(held: ExchangeOrder, atUs: number): void;
}

/**
 * One market of the replayed exchange: its history with our orders in it, and our orders' records.
 */
export class ReplayMarket implements MatchListener {
  readonly marketId: MarketId;
  /** For new orders; a resting order keeps its fees. */
  terms: MarketTerms;
  readonly endedOrders = new EndedOrders();
  readonly volume = new MarketVolume();
  readonly #open = new Map<number, ExchangeOrder>();
  readonly #listener: OrderListener;
  readonly #observer: RunObserver;
  readonly #best = { BUY: Number.NaN, SELL: Number.NaN };
  #matcher: Matcher | undefined;

  constructor(terms: MarketTerms, listener: OrderListener, observer: RunObserver) {
    this.marketId = terms.rules.marketId;
    this.terms = terms;
    this.#listener = listener;
    this.#observer = observer;
  }

  /** Advances the market's history, and reports the events of its orders to this market. */
  get matcher(): Matcher {
    return this.#matcher as Matcher;
  }

  set matcher(matcher: Matcher) {
    this.#matcher = matcher;
  }

  /** Best bid plus best ask; NaN without two sides. */
  get midHalfTicks(): number {
    const { bidTicks, askTicks } = this.matcher.touch;
    return bidTicks + askTicks;
  }

  get openOrders(): IterableIterator<ExchangeOrder> {
    return this.#open.values();
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Our best open price of a side; NaN for none. */
  bestOpenTicks(side: Side): Ticks {
    return this.#best[side];
  }

  place(id: number, action: PlaceAction, atUs: number): void {
    const { side, type, ticks, lots, timeInForce, expirationMs } = action;
    const expirationUs = timeInForce === "GTT" ? expirationMs * 1000 : Number.POSITIVE_INFINITY;
    const order: ReplayOrder = {
      id,
      side,
      type,
      ticks,
      lots,
      timeInForce,
      expirationUs,
      openLots: lots,
    };
    this.#open.set(id, new ExchangeOrder(order, action, Math.floor(atUs / 1000), this.terms.rules));
    this.matcher.place(order, atUs);
    this.#noteBest(side, atUs);
  }

  /**
   * Puts an order into the book that was open before the replay began. What is filled of it was
   * filled at its price.
   * @param order on the market's grid
   */
  resume(id: number, order: VenueOrder, atUs: number): void {
    const { side, ticks, lots, availableLots, createdAtMs } = order;
    const { instrument, rules } = this.terms;
    const [type, timeInForce] = [order.type as OrderType, order.timeInForce as TimeInForce];
    const action = { ...order, actionId: NO_ACTION, type, timeInForce, order };
    const expirationUs =
      timeInForce === "GTT" ? order.expirationMs * 1000 : Number.POSITIVE_INFINITY;
    const terms = { id, side, type, ticks, lots, timeInForce, expirationUs };
    const resumed: ReplayOrder = { ...terms, openLots: availableLots };
    const held = new ExchangeOrder(resumed, action, createdAtMs, rules);
    const filledLots = lots - availableLots;
    if (filledLots > 0)
      held.filled(ticks, filledLots, instrument.orderCredit(side, ticks, filledLots));
    this.#open.set(id, held);
    this.matcher.resume(resumed, atUs);
    this.#noteBest(side, atUs);
  }

  /** Returns false when no such order is open. */
  cancel(id: number, atUs: number): boolean {
    return this.matcher.cancel(id, atUs);
  }

  accepted(order: ReplayOrder, atUs: number): void {
    this.#listener.accepted(this.#held(order), atUs);
  }

  filled(
    order: ReplayOrder,
    ticks: Ticks,
    lots: Lots,
    cause: FillCause,
    atUs: number,
    isDoubtful: boolean,
  ): void {
    const held = this.#held(order);
    this.volume.fill(lots, cause);
    this.#listener.filled(held, ticks, lots, cause, atUs, isDoubtful);
    if (order.openLots === 0) this.#over(held, atUs);
  }

  ended(order: ReplayOrder, how: OrderEnd, atUs: number): void {
    const held = this.#held(order);
    held.end = how;
    this.#listener.ended(held, atUs);
    this.#over(held, atUs);
  }

  /** An order as the exchange reports it now. */
  toRecord(held: ExchangeOrder): VenueOrder {
    return held.record((ticks) => this.terms.instrument.formatPrice(ticks));
  }

  #held(order: ReplayOrder): ExchangeOrder {
    return this.#open.get(order.id) as ExchangeOrder;
  }

  #over(held: ExchangeOrder, atUs: number): void {
    this.#open.delete(held.order.id);
    this.endedOrders.add(this.toRecord(held), Math.floor(atUs / 1000));
    this.#noteBest(held.order.side, atUs);
  }

  #noteBest(side: Side, atUs: number): void {
    let best = Number.NaN;
    for (const { order } of this.#open.values()) {
      if (order.side === side && !(side === "BUY" ? order.ticks <= best : order.ticks >= best))
        best = order.ticks;
    }
    if (Object.is(best, this.#best[side])) return;
    this.#best[side] = best;
    this.#observer.quote(this.marketId, atUs, side, best);
  }
}
