import { MINUTE_MS, type Ms, WEEK_MS } from "../../core/units.js";

/**
 * Returns true if a GTT order may live for that long after the exchange accepts it: more than a
 * minute, less than seven days (docs/reference/exchange-interface.md#expiration).
 */
export function isValidGttLifetime(lifeMs: Ms): boolean {
  return lifeMs > MINUTE_MS && lifeMs < WEEK_MS;
}
