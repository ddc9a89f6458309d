import { INVALID_ORDER, NO_SUCH_ORDER } from "./protocol/errors.js";
import type { Outcome } from "./venue.js";
import { isInconclusive } from "./venue-errors.js";

/**
 * What an outcome proves of its action. For a cancel, `accepted` means that the exchange calls the
 * order over.
 */
export type Fate = "accepted" | "rejected" | "unknown";

/**
 * Decides what an outcome proves of a place or a cancel (docs/ideas/design.md#unknown-outcomes).
 * Nothing else decides it. Behind `outcomeOf`, which reads the answer, it is the table "What an
 * answer proves" of docs/ideas/orders.md.
 * @param kind `cancel` is a cancel-all too.
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
      // The second copy of a repeated request is refused as an invalid order while the first one
      // rests. And the exchange refuses with a 4xx: a code under any other status is the word of
      // something in between.
      return code === INVALID_ORDER || httpStatus < 400 ? "unknown" : "rejected";
    }
    default:
      return "unknown";
  }
}

/** Says in words why an action was not done: the exchange's own words where it gave any. */
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
