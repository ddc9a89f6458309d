import type { Ms } from "../../../core/units.js";
import type { VenueRules } from "../../../exchange/records.js";
import type { Finding } from "./finding.js";

const MINUTE_MS: Ms = 60_000;
/** A larger share of the budget that it shares with the bot is a lot for one query. */
const LARGE_SHARE = 0.25;

/**
 * Share of the exchange's COMMON limits that polling the list of risky accounts each `pollMs`
 * takes; empty if the exchange has no such limits.
 */
export function checkPollRate(pollMs: Ms, rateLimits: VenueRules["rateLimits"]): Finding[] {
  const limits = rateLimits
    .filter(({ name }) => name === "COMMON")
    .map(({ limit, intervalMs }) => (limit * MINUTE_MS) / intervalMs);
  if (limits.length === 0) return [];
  const least = Math.min(...limits);
  const asked = MINUTE_MS / pollMs;
  const text = `the list of risky accounts is read ${count(asked)} times a minute, of the exchange's ${count(least)} COMMON requests`;
  if (asked <= least * LARGE_SHARE) return [{ level: "ok", subject: "liquidator.pollMs", text }];
  const atLeastMs = Math.ceil(MINUTE_MS / (least * LARGE_SHARE));
  return [
    {
      level: "warning",
      subject: "liquidator.pollMs",
      text: `${text}: that may take from the bot's own; expected at least ${atLeastMs} ms`,
    },
  ];
}

function count(value: number): number {
  return Math.round(value * 10) / 10;
}
