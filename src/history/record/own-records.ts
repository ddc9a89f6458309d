import type { Instrument } from "../../core/instrument.js";
import { scaledToDecimal } from "../../core/instrument.js";
import type { VenueOrder, VenueTrade } from "../../exchange/records.js";
import type { CancelAction, CancelAllAction, Outcome, PlaceAction } from "../../exchange/venue.js";

/** The recorded actions of a bot. */
export type RecordedAction = PlaceAction | CancelAction | CancelAllAction;

/** One line of a recording; `time` is the exchange's stamp in milliseconds, if there is one. */
export type OwnRecord = Readonly<Record<string, unknown>> & { readonly time?: number };

/**
 * A record of a request when it is sent.
 * @param level of the quote, 0 the best, if the caller knows it.
 */
export function requestRecord(
  action: RecordedAction,
  instrument: Instrument,
  level: number | undefined,
): OwnRecord {
  const { kind, actionId } = action;
  if (kind === "cancel-all") return { what: kind, request: actionId };
  if (kind === "cancel")
    return { what: kind, request: actionId, hash: action.hash, orderId: action.orderId };
  const { hash, side, type, timeInForce, ticks, lots, expirationMs } = action;
  return {
    what: kind,
    request: actionId,
    hash,
    isBuy: side === "BUY",
    type,
    timeInForce,
    price: priceText(instrument, ticks),
    amount: instrument.formatAmount(lots),
    expirationMs,
    level,
  };
}

/** A record of the response to a request. */
export function answerRecord(
  action: RecordedAction,
  outcome: Outcome,
  instrument: Instrument,
): OwnRecord {
  const about = {
    request: action.actionId,
    hash: action.kind === "cancel-all" ? undefined : action.hash,
    orderId: action.kind === "cancel" ? action.orderId : undefined,
  };
  switch (outcome.result) {
    case "accepted":
      return {
        ...about,
        what: "accepted",
        ...orderFields(outcome.order, instrument),
        time: outcome.order.createdAtMs,
      };
    case "rejected":
      return { ...about, what: "rejected", code: outcome.code, message: outcome.message };
    case "throttled":
      return { ...about, what: "throttled", code: outcome.httpStatus };
    case "unknown":
    case "not-sent":
      return { ...about, what: outcome.result, message: outcome.message };
    default:
      return { ...about, what: outcome.result };
  }
}

/** A record of an order update of the account's stream. */
export function updateRecord(
  order: VenueOrder,
  timestampMs: number | undefined,
  instrument: Instrument,
): OwnRecord {
  return { what: "update", ...orderFields(order, instrument), time: timestampMs };
}

/** A record of a trade of the account; its fee in the quote asset, below zero for a rebate. */
export function fillRecord(trade: VenueTrade, instrument: Instrument): OwnRecord {
  const { id, side, isMaker, ticks, lots, restPaper, commission, status, timeMs } = trade;
  return {
    tradeId: id,
    isBuy: side === "BUY",
    isMaker,
    price: priceText(instrument, ticks),
    amount: instrument.formatReportedAmount(lots, restPaper),
    fee: scaledToDecimal(commission, instrument.creditDecimals),
    status,
    time: timeMs,
  };
}

function orderFields(order: VenueOrder, instrument: Instrument): object {
  const {
    hash,
    id,
    side,
    type,
    timeInForce,
    ticks,
    lots,
    availableLots,
    filledLots,
    canceledLots,
    expiredLots,
    failedLots,
  } = order;
  return {
    hash,
    orderId: id,
    isBuy: side === "BUY",
    type,
    timeInForce,
    price: priceText(instrument, ticks),
    amount: instrument.formatReportedAmount(lots),
    available: instrument.formatReportedAmount(availableLots),
    filled: instrument.formatReportedAmount(filledLots),
    canceled: instrument.formatReportedAmount(canceledLots),
    expired: instrument.formatReportedAmount(expiredLots),
    failed: instrument.formatReportedAmount(failedLots),
    status: order.status,
    expirationMs: order.expirationMs,
  };
}

/**
 * Null for an order without a price. An order placed on a finer grid, and its trades, may lie
 * between ticks.
 */
function priceText(instrument: Instrument, ticks: number): string | null {
  return Number.isNaN(ticks) ? null : instrument.formatReportedPrice(ticks);
}
