import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits } from "../../core/units.js";
import type { OwnLiquidation } from "./replay-account.js";

/** The report's note on a liquidated position. */
export function liquidationNote(
  { marketId, lots, credit, insuranceFee }: OwnLiquidation,
  instrument: Instrument,
): string {
  const quote = (units: CreditUnits): string => instrument.creditToDecimal(units);
  const held = `${instrument.amountOf(Math.abs(lots))} ${lots > 0 ? "long" : "short"}`;
  return `the account was unsafe: ${held} in ${marketId} liquidated for ${quote(credit)}, insurance fee ${quote(insuranceFee)}`;
}

/**
 * The report's note on an account that was left below zero, which the exchange's insurance takes
 * over (docs/reference/protocol.md#bad-debt). The figures keep the debt: a result equal to the lost
 * deposit would not show how far the position fell.
 */
export function debtNote(netValue: CreditUnits, instrument: Instrument): string {
  const debt = instrument.creditToDecimal(-netValue);
  return `the account is ${debt} below zero: the exchange's insurance would take that over, and the loss in these figures is larger by it than what the account held`;
}
