import { MINUTE_MS, type Ms } from "../../core/units.js";

/** A length of whole minutes in words: `1 minute`, `5 minutes`. */
export function minutesText(ms: Ms): string {
  const minutes = ms / MINUTE_MS;
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}
