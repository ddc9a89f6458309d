import type { OwnOrder } from "../../account/orders/order.js";
import type { Instrument } from "../../core/instrument.js";
import type { Hex, Int64Id, MarketId, Side } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";

/**
 * An order of ours that may still fill when the bot exits, as a person finds it at the exchange.
 */
export interface LeftoverOrder {
  readonly marketId: MarketId;
  readonly hash: Hex;
  /** Its phase in our table, or the exchange's status if our table considers it over. */
  readonly phase: string;
  /** Undefined while the exchange has not reported it. */
  readonly orderId: Int64Id | undefined;
  readonly side: Side;
  /** Decimal string of quote. */
  readonly price: string;
  /** Size that may still fill, as a decimal string of base. */
  readonly sizeBase: string;
}

/** A leftover order from our own table. */
export function leftoverFromOwnOrder(order: OwnOrder, instrument: Instrument): LeftoverOrder {
  const { marketId, hash, phase, orderId, side, ticks, mayFillLots } = order;
  return {
    marketId,
    hash,
    phase,
    orderId,
    side,
    price: instrument.formatReportedPrice(ticks),
    sizeBase: instrument.formatReportedAmount(mayFillLots),
  };
}

/** A leftover order that the exchange lists as open. */
export function leftoverFromVenueOrder(order: VenueOrder, instrument: Instrument): LeftoverOrder {
  const { marketId, hash, status, id, side, ticks, availableLots } = order;
  const sizeBase = instrument.formatReportedAmount(availableLots);
  return {
    marketId,
    hash,
    phase: status,
    orderId: id,
    side,
    price: instrument.formatReportedPrice(ticks),
    sizeBase,
  };
}
