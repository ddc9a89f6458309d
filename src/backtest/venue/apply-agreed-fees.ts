import type { BotConfig } from "../../bot/config/config.js";
import { signedRates } from "../../bot/execution/signed-rates.js";
import type { VenueRules } from "../../exchange/records.js";

/**
 * Applies the bot's own fee rates to the exchange's rules: the agreed rates that its orders are
 * signed with, else the market's.
 */
export function applyAgreedFees(
  rules: VenueRules,
  config: Pick<BotConfig, "exchange">,
): VenueRules {
  const { makerFeeRate, takerFeeRate } = config.exchange;
  if (makerFeeRate === undefined && takerFeeRate === undefined) return rules;
  const markets = Object.entries(rules.markets).map(([marketId, market]) => [
    marketId,
    { ...market, ...signedRates(config, market) },
  ]);
  return { ...rules, markets: Object.fromEntries(markets) };
}
