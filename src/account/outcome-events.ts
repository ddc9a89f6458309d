import type { Ms } from "../core/units.js";
import { INTERNAL_ERROR, INVALID_ORDER, NO_SUCH_ORDER } from "../exchange/protocol/errors.js";
import type { ActionId, Outcome } from "../exchange/venue.js";
import type { OrderEvent } from "./order.js";

/** What the answer to a place means for its order (docs/orders.md). */
export function placeEvent(outcome: Outcome, atMs: Ms): OrderEvent {
  switch (outcome.result) {
    case "rejected": {
      const { code, codeText, message, httpStatus } = outcome;
      // A second copy of one request is refused as an invalid order when the first was taken; an internal error may come after the taking.
      // The exchange refuses with a 4xx: a code under any other status is the word of something in between.
      const doubtful =
        code === INVALID_ORDER || code === INTERNAL_ERROR || httpStatus < 400 || httpStatus >= 500;
      return { kind: "refused", atMs, code, text: `${codeText}: ${message}`, doubtful };
    }
    case "throttled":
      return {
        kind: "refused",
        atMs,
        code: outcome.httpStatus,
        text: "refused by the rate limit",
        doubtful: false,
      };
    case "not-sent":
      return { kind: "withdrawn", atMs, text: outcome.message };
    case "unknown":
      return { kind: "doubted", atMs, text: `${outcome.cause}: ${outcome.message}` };
    default:
      return {
        kind: "doubted",
        atMs,
        text: `an answer that is not about this order: ${outcome.result}`,
      };
  }
}

/** What the answer to a cancel, or to a cancel-all that covers the order, means for it. */
export function cancelEvent(actionId: ActionId, outcome: Outcome, atMs: Ms): OrderEvent {
  switch (outcome.result) {
    case "cancelled":
      return { kind: "cancel-taken", atMs };
    case "rejected":
      if (outcome.code === NO_SUCH_ORDER) return { kind: "cancel-gone", atMs };
      if (outcome.code === INTERNAL_ERROR || outcome.httpStatus >= 500)
        return { kind: "cancel-doubted", atMs, actionId };
      return { kind: "cancel-refused", atMs, actionId };
    case "throttled":
    case "not-sent":
      return { kind: "cancel-refused", atMs, actionId };
    default:
      return { kind: "cancel-doubted", atMs, actionId };
  }
}
