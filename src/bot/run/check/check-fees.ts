import { scaledToDecimal } from "../../../core/instrument.js";
import type { CreditUnits, MarketId } from "../../../core/units.js";
import type { VenueRules, VenueTrade } from "../../../exchange/records.js";
import { tradeFee } from "../../../perpetual/fees.js";
import { divFixed } from "../../../perpetual/fixed-point.js";
import type { BotConfig } from "../../config/config.js";
import { type SignedFeeRates, signedRates } from "../../execution/signed-rates.js";
import type { Finding } from "./finding.js";

/**
 * A contract truncates a fee, and a taker's fee over all its makers. A trade may differ by units, a
 * rate by no more.
 */
const ROUNDING_UNITS: CreditUnits = 2n;

/**
 * Compares the fee rates of the bot's orders with those of exchangeInfo, and with those charged for
 * the account's newest trades. The exchange drops an order whose rates are not the account's, and a
 * different rate changes a maker's profit.
 * @param trades of the account, oldest first, by market; none if there is no account.
 */
export function checkFees(
  config: Pick<BotConfig, "exchange" | "markets">,
  rules: Pick<VenueRules, "markets" | "waiveGasFeeMinimumQuote">,
  trades: ReadonlyMap<MarketId, readonly VenueTrade[]>,
): Finding[] {
  return Object.keys(config.markets).flatMap((marketId) => {
    const market = rules.markets[marketId];
    if (market === undefined) return [];
    const subject = `markets.${marketId} fees`;
    const signed = signedRates(config, market);
    const charged = chargedDifferently(
      signed,
      trades.get(marketId) ?? [],
      rules.waiveGasFeeMinimumQuote,
    );
    const findings: Finding[] = charged.map((text) => ({ level: "warning", subject, text }));
    if (
      signed.makerFeeRate !== market.makerFeeRate ||
      signed.takerFeeRate !== market.takerFeeRate
    ) {
      const text = `orders are signed with ${inWords(signed)} (exchange.makerFeeRate and takerFeeRate). exchangeInfo has ${inWords(market)}: the exchange drops the orders unless it has agreed to these rates`;
      findings.unshift({ level: "warning", subject, text });
    }
    return findings.length > 0
      ? findings
      : [{ level: "ok", subject, text: `${inWords(signed)}, as in exchangeInfo` }];
  });
}

/**
 * The newest trade as maker and the newest as taker, if it was charged another rate than orders
 * will be signed with.
 */
function chargedDifferently(
  signed: SignedFeeRates,
  trades: readonly VenueTrade[],
  least: CreditUnits,
): readonly string[] {
  return (["maker", "taker"] as const).flatMap((liquidity) => {
    // A small order pays for its gas by its rates.
    const newest = trades.findLast(
      ({ isMaker, quote, status }) =>
        isMaker === (liquidity === "maker") && quote >= least && quote > 0n && status !== "FAILED",
    );
    if (newest === undefined) return [];
    const rate = liquidity === "maker" ? signed.makerFeeRate : signed.takerFeeRate;
    const { id, quote, commission } = newest;
    const off = commission - tradeFee(quote, rate);
    if (off <= ROUNDING_UNITS && off >= -ROUNDING_UNITS) return [];
    return [
      `the account's newest trade as ${liquidity} (${id}) was charged ${rateText(divFixed(commission, quote))} of its value, orders are signed with ${rateText(rate)}`,
    ];
  });
}

function inWords({ makerFeeRate, takerFeeRate }: SignedFeeRates): string {
  return `maker ${rateText(makerFeeRate)}, taker ${rateText(takerFeeRate)}`;
}

/** A rate to a hundredth of a basis point: the precision that a fee in whole units has. */
function rateText(rate: bigint): string {
  const millionths = (rate + (rate < 0n ? -1n : 1n) * 5n * 10n ** 11n) / 10n ** 12n;
  return scaledToDecimal(millionths, 6);
}
