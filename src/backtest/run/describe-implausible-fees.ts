import { signedRates } from "../../bot/execution/signed-rates.js";
import { scaledToDecimal } from "../../core/instrument.js";
import type { BacktestConfig } from "../config/backtest-config.js";

/**
 * Fractions scaled by 10^18. A rate beyond them is probably in another unit: 10 bps of rebate, 2 %
 * of fee.
 */
const MOST_REBATE = 10n ** 15n;
const MOST_FEE = 2n * 10n ** 16n;
const PERCENT_DECIMALS = 16;

/** Names the fee rates that no known exchange has. The profit of a run with them is not real. */
export function describeImplausibleFees({
  bot,
  rules,
  history,
}: Pick<BacktestConfig, "bot" | "rules" | "history">): string[] {
  return Object.keys(history.markets).flatMap((marketId) => {
    const { makerFeeRate, takerFeeRate } = signedRates(bot, rules.markets[marketId]);
    const rates = `makers pay ${percent(makerFeeRate)}, takers ${percent(takerFeeRate)}`;
    const told = (why: string): string[] => [
      `${marketId}: ${rates}: ${why} (a rate is a fraction: 0.0001 is 0.01 %)`,
    ];
    if (makerFeeRate < -MOST_REBATE || takerFeeRate < -MOST_REBATE)
      return told("no exchange is known to pay so much");
    if (makerFeeRate > MOST_FEE || takerFeeRate > MOST_FEE)
      return told("no exchange is known to take so much");
    if (makerFeeRate + takerFeeRate < 0n)
      return told("the exchange would pay more on each trade than it takes");
    return [];
  });
}

function percent(rate: bigint): string {
  return `${scaledToDecimal(rate, PERCENT_DECIMALS)} %`;
}
