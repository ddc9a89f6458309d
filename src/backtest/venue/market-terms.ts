import { FormatError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import { toCreditUnits } from "../../exchange/protocol/wire-parse.js";
import type { MarketRules } from "../../exchange/records.js";
import { divFixed, ONE } from "../../perpetual/fixed-point.js";

/** What a market costs its holders: the exchange's rules on its own number grid. */
export interface MarketTerms {
  readonly rules: MarketRules;
  readonly instrument: Instrument;
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
  return toCreditUnits(text, 18, "liquidationLeverage");
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
    maintenanceRatio: divFixed(ONE, leverageE18(rules.liquidationLeverage)),
    liquidationPriceOff: liquidation.priceOff,
    insuranceFeeRate: liquidation.insuranceFeeRate,
  };
}
