import { FormatError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import { toCreditUnits } from "../../exchange/protocol/wire-parse.js";
import type { MarketRules } from "../../exchange/records.js";
import { divFixed, ONE } from "../../perpetual/fixed-point.js";

/** The costs of a market for its holders: the exchange's rules on its own number grid. */
export interface MarketTerms {
  readonly rules: MarketRules;
  readonly instrument: Instrument;
  /**
   * Maintenance margin as a share of the position's value, scaled by 10^18: one divided by
   * `liquidationLeverage`.
   */
  readonly maintenanceRatio: bigint;
  /**
   * Discount from the mark at which a liquidation takes over the position (premium for a short),
   * scaled by 10^18.
   */
  readonly liquidationPriceOff: bigint;
  /** Fee of the liquidated account on top, on the credit that changed hands, scaled by 10^18. */
  readonly insuranceFeeRate: bigint;
}

/** Terms of the exchange's liquidations that no public answer states. */
export interface LiquidationTerms {
  readonly priceOff: bigint;
  readonly insuranceFeeRate: bigint;
}

/** True if a market's `liquidationLeverage` gives a valid margin. */
export function isLeverage(text: string): boolean {
  return leverageE18(text) > 0n;
}

/** Digits past the 18th, which the exchange may send, are dropped: that never lowers the margin. */
function leverageE18(text: string): bigint {
  return toCreditUnits(text, 18, "liquidationLeverage");
}

/**
 * A market's terms.
 * @throws FormatError when its liquidation leverage is not a number above zero
 */
export function marketTerms(
  rules: MarketRules,
  instrument: Instrument,
  liquidation: LiquidationTerms,
): MarketTerms {
  if (!isLeverage(rules.liquidationLeverage)) {
    throw new FormatError("is not a valid leverage", {
      field: `${rules.marketId} liquidationLeverage`,
      value: rules.liquidationLeverage,
      expected: "above 0",
    });
  }
  return {
    rules,
    instrument,
    maintenanceRatio: divFixed(ONE, leverageE18(rules.liquidationLeverage)),
    liquidationPriceOff: liquidation.priceOff,
    insuranceFeeRate: liquidation.insuranceFeeRate,
  };
}
