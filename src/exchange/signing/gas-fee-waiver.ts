import type { Instrument } from "../../core/instrument.js";
import type { Lots, Ticks } from "../../core/units.js";
import type { VenueRules } from "../records.js";

/** What `waiveGasFeeMinimumAmount` is compared with: an order's value, or its amount. The specification does not say which. */
export type WaiverUnit = "quote" | "base";

/**
 * Whether an order is so small that it needs the `gasFeeQuotation` of a build
 * (docs/reference/exchange-interface.md#fee-rates).
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
  return instrument.paperOf(order.lots) * 10n ** BigInt(creditDecimals) < minimum * paperUnit;
}
