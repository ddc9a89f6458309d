import { decimalToScaled, type Instrument } from "../../core/instrument.js";
import type { AccountLimits, GuardLimits, MarketLimits } from "../../risk/limits.js";
import type { BotConfig, MarketConfig } from "../config/config.js";

/**
 * A market's limits on its grid. @throws FormatError if an amount is off the grid: `checkOnGrid`
 * has reported it before, by its path.
 */
export function marketLimitsFor(config: MarketConfig, instrument: Instrument): MarketLimits {
  const { maxPositionBase, maxOrderBase, maxNotionalQuote, maxOpenOrders, maxDistanceFromMarkBps } =
    config.limits;
  return {
    maxPositionLots:
      maxPositionBase === undefined ? undefined : instrument.parseAmount(maxPositionBase),
    maxOrderLots: maxOrderBase === undefined ? undefined : instrument.parseAmount(maxOrderBase),
    maxNotional: creditOf(maxNotionalQuote, instrument.creditDecimals),
    maxOpenOrders,
    maxDistanceFromMarkBps,
  };
}

/** The account's limits, in credit units. */
export function accountLimitsFor({ risk }: BotConfig, creditDecimals: number): AccountLimits {
  return {
    maxNotional: creditOf(risk.maxNotionalQuote, creditDecimals),
    maxOpenOrders: risk.maxOpenOrders,
    maxLeverage: risk.maxLeverage,
    maxMarginUseFraction: risk.maxMarginUseFraction,
    minLiquidationDistanceBps: risk.minLiquidationDistanceBps,
  };
}

/** Ages from which data is too old to trade on. */
export function guardLimitsFor({ risk, exchange }: BotConfig): GuardLimits {
  return {
    maxBookAgeMs: risk.maxBookAgeMs,
    maxAccountAgeMs: risk.maxAccountAgeMs,
    maxClockOffsetMs: exchange.maxClockOffsetMs,
    maxClockAgeMs: Math.max(120_000, 4 * exchange.reconcileMs),
    maxRulesAgeMs: risk.maxRulesAgeMs ?? 3 * exchange.rulesRefreshMs,
    maxLoopLagMs: risk.maxLoopLagMs,
    maxRejectsPerMinute: risk.maxRejectsPerMinute,
  };
}

function creditOf(quote: string | undefined, creditDecimals: number): bigint | undefined {
  return quote === undefined ? undefined : decimalToScaled(quote, creditDecimals);
}
