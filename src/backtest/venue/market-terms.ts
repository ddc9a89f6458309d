import { FormatError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, Lots, PaperUnits } from "../../core/units.js";
import { creditOf } from "../../exchange/protocol/wire-parse.js";
import type { MarketRules } from "../../exchange/records.js";

/** 1 in the exchange's fixed point. */
export const ONE = 10n ** 18n;

/** What a market costs its holders: the exchange's rules on its own number grid. */
export interface MarketTerms {
  readonly rules: MarketRules;
  readonly instrument: Instrument;
  /** One whole base unit of paper. */
  readonly paperUnit: PaperUnits;
  /** Maintenance margin as a share of the position's value, scaled by 10^18: one through `liquidationLeverage`. */
  readonly maintenanceRatio: bigint;
  /** What a liquidation takes the position over below the mark (above it for a short), scaled by 10^18. */
  readonly liquidationPriceOff: bigint;
  /** What the victim pays on top, of the credit that changed hands, scaled by 10^18. */
  readonly insuranceFeeRate: bigint;
}

/** What no public answer of the exchange tells of its liquidations. */
export interface LiquidationTerms {
  readonly priceOff: bigint;
  readonly insuranceFeeRate: bigint;
}

/** Whether a market's `liquidationLeverage` is one that a margin can be made of. */
export function isLeverage(text: string): boolean {
  return leverageE18(text) > 0n;
}

/** Digits past the 18th, which the exchange may tell, are cut off: that asks for no less margin. */
function leverageE18(text: string): bigint {
  return creditOf(text, 18, "liquidationLeverage");
}

/** A market's terms. @throws FormatError when its liquidation leverage is no number above zero */
export function marketTerms(
  rules: MarketRules,
  instrument: Instrument,
  liquidation: LiquidationTerms,
): MarketTerms {
  if (!isLeverage(rules.liquidationLeverage)) {
    throw new FormatError("not a leverage", {
      field: `${rules.marketId} liquidationLeverage`,
      value: rules.liquidationLeverage,
      expected: "above 0",
    });
  }
  return {
    rules,
    instrument,
    paperUnit: 10n ** BigInt(instrument.paperDecimals),
    maintenanceRatio: (ONE * ONE) / leverageE18(rules.liquidationLeverage),
    liquidationPriceOff: liquidation.priceOff,
    insuranceFeeRate: liquidation.insuranceFeeRate,
  };
}

/** What the contract says a position is worth: truncated toward zero (protocol 7.1 and 7.3). `mark`: credit units for one whole base unit. */
export function heldValue(
  { instrument, paperUnit }: MarketTerms,
  lots: Lots,
  mark: CreditUnits,
): CreditUnits {
  return lots === 0 ? 0n : (paperOf(instrument, lots) * mark) / paperUnit;
}

/** The paper of so many lots. */
function paperOf(instrument: Instrument, lots: Lots): PaperUnits {
  return BigInt(lots) * instrument.paperPerLot;
}

export function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
