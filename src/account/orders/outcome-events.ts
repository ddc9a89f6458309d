import type { Ms } from "../../core/units.js";
import { determineFate } from "../../exchange/fate.js";
import type { ActionId, Outcome } from "../../exchange/venue.js";
import type { OrderEvent } from "./order.js";

/**
 * Translates the response to a place into an event of its order. `determineFate` decides what the
 * response proves.
 */
export function toPlaceEvent(outcome: Outcome, atMs: Ms): OrderEvent {
  if (outcome.result === "not-sent") return { kind: "withdrawn", atMs, text: outcome.message };
  const kind = determineFate("place", outcome) === "rejected" ? "rejected" : "unknown";
  return { kind, atMs, ...reasonOf(outcome) };
}

/** Translates the response to a cancel, or to a cancel-all that covers the order. */
export function toCancelEvent(actionId: ActionId, outcome: Outcome, atMs: Ms): OrderEvent {
  const fate = determineFate("cancel", outcome);
  return fate === "accepted"
    ? { kind: "cancel-accepted", atMs }
    : { kind: `cancel-${fate}`, atMs, actionId };
}

function reasonOf(outcome: Outcome): { readonly code?: number; readonly text: string } {
  switch (outcome.result) {
    case "rejected":
      return { code: outcome.code, text: `${outcome.codeText}: ${outcome.message}` };
    case "throttled":
      return { code: outcome.httpStatus, text: "refused by the rate limit" };
    case "unknown":
      return { text: `${outcome.cause}: ${outcome.message}` };
    default:
      return { text: `an answer that is not about this order: ${outcome.result}` };
  }
}
