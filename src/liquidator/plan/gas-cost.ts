import { ceilDivide } from "../../core/bigints.js";
import { FormatError } from "../../core/errors.js";
import type { CreditUnits } from "../../core/units.js";
import { ONE } from "../../perpetual/fixed-point.js";
import type { GasPrices } from "./plan-input.js";

/**
 * Expected gas cost of one liquidation, in wei and, rounded up, in credit units. @throws
 * FormatError when ether has no price.
 */
export function estimateGasCost({
  gasPerTakeover,
  feePerGasWei,
  extraWei,
  creditPerEth,
}: GasPrices): {
  readonly wei: bigint;
  readonly credit: CreditUnits;
} {
  if (creditPerEth <= 0n)
    throw new FormatError("is not a price of ether", {
      field: "creditPerEth",
      value: creditPerEth,
      expected: "credit units above zero",
    });
  const wei = gasPerTakeover * feePerGasWei + extraWei;
  return { wei, credit: ceilDivide(wei * creditPerEth, ONE) };
}

/** The largest number of wei that the credit pays for. */
export function toWei(credit: CreditUnits, { creditPerEth }: GasPrices): bigint {
  return (credit * ONE) / creditPerEth;
}
