import { ConfigError } from "../core/errors.js";
import type { Instrument } from "../core/instrument.js";
import type { Lots } from "../core/units.js";

/** Relative slack for a decimal fraction such as 0.3 after its conversion to a binary float. */
const FLOAT_SLACK = 1e-9;
/**
 * Maximum slack, as a fraction of a lot: of billions of lots the relative slack would be whole
 * lots.
 */
const MOST_SLACK_LOTS = 0.01;

/**
 * Converts base to whole lots, rounded down: a strategy never quotes more than configured.
 * @example
 * ```ts
 * import { Instrument, baseToLots } from "marketwright";
 *
 * const btc = new Instrument({
 *   marketId: "btcusdc",
 *   tickSize: "0.1",
 *   stepSize: "0.001",
 *   creditDecimals: 6,
 *   paperDecimals: 18,
 * });
 * baseToLots(0.25, btc); // => 250
 * baseToLots(0.0019, btc); // => 1
 * ```
 */
export function baseToLots(base: number, instrument: Instrument): Lots {
  const lots = base / instrument.lotBase;
  return Math.floor(lots + Math.min(MOST_SLACK_LOTS, Math.max(1, Math.abs(lots)) * FLOAT_SLACK));
}

/**
 * Converts an amount of base that a user has written to lots.
 * @throws ConfigError when it is not a whole multiple of the market's step
 * @example
 * ```ts
 * import { baseToExactLots, Instrument } from "marketwright";
 *
 * const btc = new Instrument({
 *   marketId: "btcusdc",
 *   tickSize: "0.1",
 *   stepSize: "0.001",
 *   creditDecimals: 6,
 *   paperDecimals: 18,
 * });
 * baseToExactLots(0.25, btc, "sizeBase"); // => 250
 * baseToExactLots(0.0005, btc, "sizeBase"); // throws ConfigError
 * ```
 */
export function baseToExactLots(base: number, instrument: Instrument, field: string): Lots {
  const exactLots = base / instrument.lotBase;
  const lots = Math.round(exactLots);
  // For tens of trillions of lots the error of a float exceeds the slack.
  if (
    Math.abs(exactLots - lots) >
    Math.max(
      Math.min(MOST_SLACK_LOTS, Math.abs(lots) * FLOAT_SLACK),
      Math.abs(lots) * 2 * Number.EPSILON,
    )
  ) {
    throw new ConfigError("is off the market's grid", {
      field,
      value: base,
      expected: `a whole multiple of ${instrument.marketId}'s step, ${instrument.stepSize}`,
    });
  }
  return lots;
}
