import { INVALID_ORDER, NO_SUCH_ORDER } from "./protocol/errors.js";
import type { Outcome } from "./venue.js";
import { isInconclusive } from "./venue-errors.js";

/**
 * The proven fate of an action. For a cancel, `accepted` means that the exchange reports the order
 * as closed.
 */
export type Fate = "accepted" | "rejected" | "unknown";

/**
 * Decides what an outcome proves about a place or a cancel (docs/ideas/design.md#unknown-outcomes).
 * No other code decides it. After `readOutcome`, which reads the response, it implements the table
 * "What an answer proves" of docs/ideas/orders.md.
 * @param kind `cancel` includes cancel-all.
 */
export function determineFate(kind: "place" | "cancel", outcome: Outcome): Fate {
  switch (outcome.result) {
    case "accepted":
      return kind === "place" ? "accepted" : "unknown";
    case "cancelled":
      return kind === "place" ? "unknown" : "accepted";
    case "throttled":
    case "not-sent":
      return "rejected";
    case "rejected": {
      const { code, httpStatus } = outcome;
      if (isInconclusive(code, httpStatus)) return "unknown";
      if (kind !== "place") return code === NO_SUCH_ORDER ? "accepted" : "rejected";
      // The exchange rejects a repeated request as an invalid order while the first copy rests. And
      // it rejects with a 4xx: a code under any other status comes from a proxy in between.
      return code === INVALID_ORDER || httpStatus < 400 ? "unknown" : "rejected";
    }
    default:
      return "unknown";
  }
}

/** Describes why an action was not done, with the exchange's message if it sent one. */
export function describeOutcome(outcome: Outcome): string {
  switch (outcome.result) {
    case "rejected":
      return `${outcome.code} ${[outcome.codeText, outcome.message].filter((text) => text !== "").join(": ")}`;
    case "throttled":
      return `refused by the rate limit (HTTP ${outcome.httpStatus})`;
    case "unknown":
    case "not-sent":
      return outcome.message;
    default:
      return outcome.result;
  }
}
