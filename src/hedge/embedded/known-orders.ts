import type { Hex, Int64Id, Lots, Ms, Side, Ticks } from "../../core/units.js";
import type { VenueOrder, VenueTrade } from "../../exchange/records.js";
import type { HedgeOrderKey } from "../hedge-order-key.js";
import type { HedgeOrderReport, HedgePlace } from "../hedge-venue.js";
import { toOrderReport } from "./to-hedge-outcome.js";

/** The name of an order at the exchange. */
export interface ExchangeOrderName {
  readonly orderId: Int64Id;
  readonly hash: Hex;
}

interface KnownOrder {
  readonly key: HedgeOrderKey;
  readonly symbol: string;
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly timeInForce: string;
  /** Exchange's time of its creation; of its sending while nothing is reported. */
  sinceMs: Ms;
  name: ExchangeOrderName | undefined;
  /** Largest matched lots of its reports. */
  filledLots: Lots;
  /** False once a report says so. */
  isOpen: boolean;
  /** Lots of the trades that are assigned to it. */
  tradedLots: Lots;
}

/** Most orders that are kept. The oldest ones that have ended are forgotten first. */
const MOST_ORDERS = 2_000;

/**
 * The orders of the account that were sent or reported, by key. A trade names no order at this
 * exchange. It is assigned to one by side, price and matched lots: an order is reported before its
 * trades.
 */
export class KnownOrders {
  readonly #orders = new Map<HedgeOrderKey, KnownOrder>();

  /** Adds an order before it is sent. @param atMs exchange's time */
  sent({ key, symbol, side, ticks, lots, timeInForce }: HedgePlace, atMs: Ms): void {
    this.#add({ key, symbol, side, ticks, lots, timeInForce, ...UNREPORTED, sinceMs: atMs });
  }

  /** Applies a report of the exchange, and returns it as a hedge venue gives it. */
  reported(order: VenueOrder): HedgeOrderReport {
    const report = toOrderReport(order);
    const { key, symbol, side, lots, filledLots, isOpen } = report;
    const known =
      this.#orders.get(key) ??
      this.#add({
        ...{ key, symbol, side, lots, ticks: order.ticks, timeInForce: order.timeInForce },
        ...UNREPORTED,
        sinceMs: order.createdAtMs,
      });
    known.name = { orderId: order.id, hash: order.hash };
    known.sinceMs = order.createdAtMs;
    known.filledLots = Math.max(known.filledLots, filledLots);
    known.isOpen &&= isOpen;
    return report;
  }

  /** The exchange's name of an order; undefined before a report of it. */
  nameOf(key: HedgeOrderKey): ExchangeOrderName | undefined {
    return this.#orders.get(key)?.name;
  }

  /** When an order was sent or created, in the exchange's time; undefined of an unknown one. */
  sinceMs(key: HedgeOrderKey): Ms | undefined {
    return this.#orders.get(key)?.sinceMs;
  }

  /**
   * Assigns a trade to an order; undefined if none can have made it. A reported order comes before
   * one that was only sent, whose creation is a guess. Of several it is the one whose creation is
   * nearest in time: an order that takes trades as it is created, and one that rests has no
   * successor before its end.
   */
  assign(trade: VenueTrade): HedgeOrderKey | undefined {
    const order = this.#nearest(trade, true) ?? this.#nearest(trade, false);
    if (order !== undefined) order.tradedLots += trade.lots;
    return order?.key;
  }

  #nearest(trade: VenueTrade, isReported: boolean): KnownOrder | undefined {
    let nearest: KnownOrder | undefined;
    let leastApartMs = Number.POSITIVE_INFINITY;
    for (const order of this.#orders.values()) {
      if ((order.name !== undefined) !== isReported) continue;
      const apartMs = Math.abs(trade.timeMs - order.sinceMs);
      if (apartMs > leastApartMs || !isAt(order, trade) || !mayHold(order, trade)) continue;
      nearest = order;
      leastApartMs = apartMs;
    }
    return nearest;
  }

  #add(order: KnownOrder): KnownOrder {
    this.#orders.set(order.key, order);
    if (this.#orders.size > MOST_ORDERS) {
      const ended = [...this.#orders.values()].find(({ isOpen }) => !isOpen);
      if (ended !== undefined) this.#orders.delete(ended.key);
    }
    return order;
  }
}

const UNREPORTED = { name: undefined, filledLots: 0, isOpen: true, tradedLots: 0 } as const;

/** True if a trade is within an order's terms. */
function isAt(order: KnownOrder, { marketId, side, ticks, timeMs, isMaker }: VenueTrade): boolean {
  return (
    order.symbol === marketId &&
    order.side === side &&
    (side === "BUY" ? ticks <= order.ticks : ticks >= order.ticks) &&
    (order.name === undefined || mayTradeAt(order, timeMs)) &&
    (isMaker ? order.timeInForce !== "IOC" : order.timeInForce !== "POST_ONLY")
  );
}

/** True if an order has filled, or may still fill, so much more than its assigned trades. */
function mayHold({ isOpen, lots, filledLots, tradedLots }: KnownOrder, trade: VenueTrade): boolean {
  return (isOpen ? lots : filledLots) - tradedLots >= trade.lots;
}

/** True if a reported order may trade at an instant: an IOC order does so only as it is created. */
function mayTradeAt({ timeInForce, sinceMs }: KnownOrder, timeMs: Ms): boolean {
  return timeInForce === "IOC" ? timeMs === sinceMs : timeMs >= sinceMs;
}
