import type { Outcome } from "../exchange/venue.js";

/** Why an action did not come to what was asked, in words: the exchange's own where it gave any. */
export function outcomeText(outcome: Outcome): string {
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
