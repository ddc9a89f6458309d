import { decimalToScaled } from "../../core/instrument.js";
import type { MarketRules } from "../../exchange/records.js";
import type { BotConfig } from "../config/config.js";

/** Fee rates scaled by 10^18, signed: a negative maker rate is a rebate. */
export type SignedFeeRates = Pick<MarketRules, "makerFeeRate" | "takerFeeRate">;

const RATE_DECIMALS = 18;

/**
 * The fee rates that orders of a market are signed with: exchangeInfo's, or those of a special
 * agreement.
 */
export function signedRates(
  { exchange }: Pick<BotConfig, "exchange">,
  rules: SignedFeeRates,
): SignedFeeRates {
  return {
    makerFeeRate: scaledRate(exchange.makerFeeRate) ?? rules.makerFeeRate,
    takerFeeRate: scaledRate(exchange.takerFeeRate) ?? rules.takerFeeRate,
  };
}

/** A fee rate of the bot's file, scaled by 10^18. */
export function scaledRate(rate: string | undefined): bigint | undefined {
  return rate === undefined ? undefined : decimalToScaled(rate, RATE_DECIMALS);
}

/** The maker fee that orders of a market are signed with, in basis points; negative is a rebate. */
export function makerFeeBps(config: Pick<BotConfig, "exchange">, rules: SignedFeeRates): number {
  return Number(signedRates(config, rules).makerFeeRate) / 10 ** (RATE_DECIMALS - 4);
}
