import type { Instrument } from "../../core/instrument.js";
import { scaledToDecimal } from "../../core/instrument.js";
import type { VenueOrder, VenueTrade } from "../../exchange/records.js";
import type { CancelAction, CancelAllAction, Outcome, PlaceAction } from "../../exchange/venue.js";

/** What of a bot's actions is recorded. */
export type RecordedAction = PlaceAction | CancelAction | CancelAllAction;

/** One line of a recording; `time` is the exchange's stamp, where it told one, in milliseconds. */
export type OwnRecord = Readonly<Record<string, unknown>> & { readonly time?: number };

/** A request as it left. @param level of the quote, 0 the best, where the caller knows it. */
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
    amount: instrument.amountOf(lots),
    expirationMs,
    level,
  };
}

/** The fate of a request, as its own answer tells it. */
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

/** An order as the exchange tells it on the account's stream. */
export function updateRecord(
  order: VenueOrder,
  timestampMs: number | undefined,
  instrument: Instrument,
): OwnRecord {
  return { what: "update", ...orderFields(order, instrument), time: timestampMs };
}

/** A trade of the account; its fee in the quote asset, below zero for a rebate. */
export function fillRecord(trade: VenueTrade, instrument: Instrument): OwnRecord {
  const { id, side, isMaker, ticks, lots, restPaper, commission, status, timeMs } = trade;
  return {
    tradeId: id,
    isBuy: side === "BUY",
    isMaker,
    price: priceText(instrument, ticks),
    amount: instrument.toldAmountOf(lots, restPaper),
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
    amount: instrument.toldAmountOf(lots),
    available: instrument.toldAmountOf(availableLots),
    filled: instrument.toldAmountOf(filledLots),
    canceled: instrument.toldAmountOf(canceledLots),
    expired: instrument.toldAmountOf(expiredLots),
    failed: instrument.toldAmountOf(failedLots),
    status: order.status,
    expirationMs: order.expirationMs,
  };
}

/** Null where an order names no price; one that was placed on a finer grid, and what it trades, may lie between ticks. */
function priceText(instrument: Instrument, ticks: number): string | null {
  return Number.isNaN(ticks) ? null : instrument.toldPriceOf(ticks);
}
