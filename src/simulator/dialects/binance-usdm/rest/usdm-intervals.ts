import type { CandleInterval } from "../../../markets/candle-interval.js";
import { UsdmError } from "../usdm-error.js";

/** The names of the bar lengths that the exchange keeps. */
const INTERVALS: Readonly<Record<string, CandleInterval>> = {
  "1m": "1M",
  "5m": "5M",
  "15m": "15M",
  "30m": "30M",
  "1h": "1H",
  "2h": "2H",
  "4h": "4H",
  "6h": "6H",
  "1d": "1D",
  "1w": "1W",
  "1M": "1MO",
};

/** The names of all bar lengths. */
export const USDM_INTERVAL_NAMES: readonly string[] = Object.keys(INTERVALS);

/**
 * The bar length of a name.
 * @throws UsdmError -1120
 */
export function usdmInterval(name: string): CandleInterval {
  const interval = INTERVALS[name];
  if (interval === undefined || !Object.hasOwn(INTERVALS, name)) throw new UsdmError("-1120");
  return interval;
}
