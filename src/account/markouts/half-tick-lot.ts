import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits } from "../../core/units.js";

/**
 * One lot times half a tick in units of 10^-decimals of the settlement asset. It is whole at the
 * scale of a profit, which has enough decimals.
 */
export function halfTickLotIn(
  { creditNumerator, creditDenominator, creditDecimals }: Instrument,
  decimals: number,
): CreditUnits {
  return (creditNumerator * 10n ** BigInt(decimals - creditDecimals)) / (2n * creditDenominator);
}
