import type { Instrument } from "../../core/instrument.js";
import type { Lots, Ticks } from "../../core/units.js";
import type { VenueRules } from "../records.js";

/**
 * The unit of `waiveGasFeeMinimumAmount`: an order's value, or its amount. The specification does
 * not say which.
 */
export type WaiverUnit = "quote" | "base";

/**
 * Returns true if an order is so small that it needs the `gasFeeQuotation` of a build
 * (docs/reference/exchange-interface.md#fee-rates).
 * @example
 * ```ts
 * import { Instrument } from "marketwright";
 * import { isBelowWaiver } from "marketwright/exchange";
 *
 * const btc = new Instrument({
 *   marketId: "btcusdc",
 *   tickSize: "0.1",
 *   stepSize: "0.001",
 *   creditDecimals: 6,
 *   paperDecimals: 18,
 * });
 * // The minimum is 100 USDC; the order is worth 30000 x 0.002 = 60 USDC.
 * const rules = { waiveGasFeeMinimumQuote: 100_000_000n };
 * isBelowWaiver(rules, btc, { ticks: 300_000, lots: 2 }, "quote"); // => true
 * isBelowWaiver(rules, btc, { ticks: 300_000, lots: 4 }, "quote"); // => false
 * ```
 */
export function isBelowWaiver(
  rules: Pick<VenueRules, "waiveGasFeeMinimumQuote">,
  instrument: Instrument,
  order: { readonly ticks: Ticks; readonly lots: Lots },
  unit: WaiverUnit,
): boolean {
  const minimum = rules.waiveGasFeeMinimumQuote;
  if (minimum === 0n) return false;
  if (unit === "quote") return instrument.creditFloor(order.ticks, order.lots) < minimum;
  const { creditDecimals, paperUnit } = instrument;
  return instrument.lotsToPaper(order.lots) * 10n ** BigInt(creditDecimals) < minimum * paperUnit;
}
