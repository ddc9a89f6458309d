import type { Lots, Side, Ticks } from "../../core/units.js";
import type { OrderType, TimeInForce, VenueOrder } from "../../exchange/records.js";

/** A change of an order's open amount, on the exchange's clock. */
export interface OpenStep {
  readonly atUs: number;
  readonly openLots: Lots;
}

/**
 * One order of a recorded session, from its request to its end. Instants are whole microseconds
 * since 1970.
 */
export interface RecordedOrder {
  readonly hash: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  /** NaN for a MARKET order without a price. */
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly expirationMs: number;
  /** Distance rank of its quote; -1 where it worked a position. */
  readonly level: number;
  /** When it was sent. */
  readonly sentUs: number;
  /** When the exchange accepted it, on its clock; undefined where the exchange never said so. */
  readonly acceptedUs: number | undefined;
  /** When its acceptance was received. */
  readonly answeredUs: number | undefined;
  /**
   * The reason if the exchange refused it, it was never sent, or no answer ever arrived; undefined
   * otherwise.
   */
  readonly refused: string | undefined;
  /** Its open amount as the exchange reported it, ascending. */
  readonly steps: readonly OpenStep[];
  /** How it ended without a complete fill, and when, on the exchange's clock. */
  readonly ended: { readonly atUs: number; readonly status: string } | undefined;
}

/**
 * An order that was open when the session began: of an earlier run, or placed manually. `sentUs`
 * and `acceptedUs` are its creation. Its steps begin with the amount of the first report.
 */
export interface OpeningOrder extends RecordedOrder {
  /** As the exchange first reported it to the session. */
  readonly reported: VenueOrder;
}

/** A cancel of one order, or of every order where it names none. */
export interface RecordedCancel {
  readonly sentUs: number;
  readonly hash: string | undefined;
  /**
   * When the exchange accepted it, on its clock: the instant at which it ended the named order;
   * undefined where the exchange never said so.
   */
  readonly acceptedUs: number | undefined;
  /**
   * For a cancel that the exchange refused or did not answer: when the exchange first reported that
   * nothing of the order was open, or last that some was. Until then the cancel had no effect.
   */
  readonly notBeforeUs: number | undefined;
}

/**
 * An order or a cancel as it was sent, on the bot's clock as in the market's tape: whole
 * microseconds since 1970.
 */
export interface RecordedRequest {
  readonly leftUs: number;
  /** When the exchange's answer was received; undefined where there was none. */
  readonly answeredUs: number | undefined;
}

/** A fill of a recorded session. */
export interface RecordedFill {
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  /** Exchange time. */
  readonly atUs: number;
  readonly isMaker: boolean;
  /** In the quote asset, as recorded. */
  readonly fee: string;
}

/** The recorded orders, cancels and fills of a session in one market. */
export interface RecordedAccount {
  /** Orders that the session sent. */
  readonly orders: readonly RecordedOrder[];
  /** Undefined where the exchange never reported the open orders to the session. */
  readonly openingOrders: readonly OpeningOrder[] | undefined;
  readonly cancels: readonly RecordedCancel[];
  readonly requests: readonly RecordedRequest[];
  readonly fills: readonly RecordedFill[];
}

/** All orders that were open in a session, wherever they came from. */
export function listOpenedOrders({
  orders,
  openingOrders = [],
}: Pick<RecordedAccount, "orders" | "openingOrders">): readonly RecordedOrder[] {
  return openingOrders.length === 0 ? orders : [...openingOrders, ...orders];
}
