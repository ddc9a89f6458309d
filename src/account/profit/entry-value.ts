import { decimalToScaled, type Instrument } from "../../core/instrument.js";
import type { CreditUnits, PaperUnits } from "../../core/units.js";

/** Decimals of an average price that are used. More do not change a unit of credit. */
const MOST_DECIMALS = 36;

/**
 * Values a position at its average entry price, signed as the paper. The exchange rounds an average
 * to some decimals, so the value is rounded to the nearest unit of credit: that is the cost of the
 * position, if the average has enough decimals.
 * @param entryPrice quote for one base, a plain decimal
 */
export function entryValue(
  { paperUnit, creditDecimals }: Instrument,
  paper: PaperUnits,
  entryPrice: string,
): CreditUnits {
  const [whole, fraction = ""] = entryPrice.split(".");
  const used = fraction.slice(0, MOST_DECIMALS);
  const price = decimalToScaled(used === "" ? `${whole}` : `${whole}.${used}`, used.length);
  const value = 2n * paper * price * 10n ** BigInt(creditDecimals);
  const unit = paperUnit * 10n ** BigInt(used.length);
  return (value + (value < 0n ? -unit : unit)) / (2n * unit);
}
