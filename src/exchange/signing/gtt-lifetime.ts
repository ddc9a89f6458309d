import { MINUTE_MS, type Ms, WEEK_MS } from "../../core/units.js";

/**
 * Whether a GTT order may live for so long from when the exchange takes it: more than a minute,
 * less than seven days (docs/reference/exchange-interface.md#expiration).
 */
export function isValidGttLifetime(lifeMs: Ms): boolean {
  return lifeMs > MINUTE_MS && lifeMs < WEEK_MS;
}
