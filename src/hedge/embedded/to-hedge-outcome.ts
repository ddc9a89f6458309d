import type { Hex } from "../../core/units.js";
import { describeOutcome, determineFate } from "../../exchange/fate.js";
import type { VenueOrder } from "../../exchange/records.js";
import type { Outcome } from "../../exchange/venue.js";
import { type HedgeOrderKey, toHedgeOrderKey } from "../hedge-order-key.js";
import type { HedgeOrderReport, HedgeOutcome } from "../hedge-venue.js";

/** An outcome that shows that a request has changed and answered nothing. */
export type FailedOutcome = Extract<
  HedgeOutcome,
  { readonly result: "rejected" | "not-sent" | "unknown" }
>;

const FINAL_STATUSES: ReadonlySet<string> = new Set(["FILLED", "CANCELED", "EXPIRED", "FAILED"]);

const NONCE_DIGITS = 16;

/** The key of an order: the number that its `info` ends with. */
function keyFromInfo(info: Hex): HedgeOrderKey {
  return toHedgeOrderKey(BigInt(`0x${info.slice(-NONCE_DIGITS)}`));
}

/**
 * Converts a report of an order. Its filled lots are the matched ones, which never decrease: those
 * whose settlement is pending or failed are included, as a failed one is reported as a fill that is
 * reversed.
 */
export function toOrderReport(order: VenueOrder): HedgeOrderReport {
  return {
    key: keyFromInfo(order.info),
    symbol: order.marketId,
    side: order.side,
    lots: order.lots,
    filledLots: order.filledLots + order.pendingLots + order.failedLots,
    isOpen: order.availableLots > 0 && !FINAL_STATUSES.has(order.status),
    status: order.status,
  };
}

/** Converts the outcome of a place or a cancel that was not accepted. */
export function toActionOutcome(kind: "place" | "cancel", outcome: Outcome): FailedOutcome {
  return determineFate(kind, outcome) === "rejected"
    ? toFailedOutcome(outcome)
    : { result: "unknown", message: describeOutcome(outcome) };
}

/** Converts the outcome of a request that was not answered as asked. */
export function toFailedOutcome(outcome: Outcome): FailedOutcome {
  const message = describeOutcome(outcome);
  switch (outcome.result) {
    case "rejected":
      return { result: "rejected", code: `${outcome.code}`, message };
    case "throttled":
      return { result: "not-sent", message, retryAfterMs: outcome.retryAfterMs };
    case "not-sent":
      return { result: "not-sent", message, retryAfterMs: undefined };
    default:
      return { result: "unknown", message };
  }
}
