import type { Instrument } from "../../../../core/instrument.js";
import type { Lots, Ticks } from "../../../../core/units.js";

/**
 * Formats a price with all decimals of the tick size, as `30000.0`. Clients take the precision from
 * the text, and some drop a quote whose bid and ask differ in it.
 */
export function usdmPrice(instrument: Instrument, ticks: Ticks): string {
  return padded(instrument.formatPrice(ticks), instrument.priceDecimals);
}

/** Formats a quantity with all decimals of the step size, as `0.010`. */
export function usdmQuantity(instrument: Instrument, lots: Lots): string {
  return padded(instrument.formatAmount(lots), instrument.amountDecimals);
}

function padded(text: string, decimals: number): string {
  if (decimals === 0) return text;
  const [whole = "", fraction = ""] = text.split(".");
  return `${whole}.${fraction.padEnd(decimals, "0")}`;
}
