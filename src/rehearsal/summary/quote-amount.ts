import { Decimal } from "decimal.js";
import { scaledToDecimal } from "../../core/instrument.js";
import type { CreditUnits } from "../../core/units.js";

/** An amount of credit units in quote, with two decimals. */
export function quoteAmount(scaled: CreditUnits, creditDecimals: number): string {
  const text = new Decimal(scaledToDecimal(scaled, creditDecimals)).toFixed(2);
  return text === "-0.00" ? "0.00" : text;
}
