import type { BotConfig } from "../../bot/config/config.js";
import { signedRates } from "../../bot/execution/signed-rates.js";
import type { VenueRules } from "../../exchange/records.js";

/** The exchange's rules with the fee rates that this bot pays: those that its orders are signed with where they were agreed on, else the market's. */
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
