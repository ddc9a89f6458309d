import type { BotConfig } from "../../bot/config/config.js";
import type { CreditUnits } from "../../core/units.js";
import type { ExchangeConfig } from "../../simulator/config/config.js";

const LEAST_BPS = 200;
/** A fifth of the price within minutes is as far as a rehearsal goes. */
const MOST_BPS = 2_000;
/** Share of the file's largest position with which the loss is reckoned. */
const HELD_SHARE = 0.5;

/**
 * The move of all prices, in basis points, that carries the account's loss through its highest
 * rung, if it holds half of its largest positions on the wrong side.
 */
export function trendBpsFor(
  bot: BotConfig,
  exchange: ExchangeConfig,
  highestLoss: CreditUnits,
): number {
  let heldQuote = 0;
  for (const [id, { limits }] of Object.entries(bot.markets)) {
    const flow = exchange.markets[id]?.flow;
    if (flow?.kind === "synthetic")
      heldQuote += Number(limits.maxPositionBase) * flow.startPriceQuote * HELD_SHARE;
  }
  const lossQuote = Number(highestLoss) / 10 ** exchange.creditDecimals;
  const bps = (lossQuote / heldQuote) * 10_000;
  return Math.min(MOST_BPS, Math.max(LEAST_BPS, Number.isFinite(bps) ? bps : LEAST_BPS));
}
