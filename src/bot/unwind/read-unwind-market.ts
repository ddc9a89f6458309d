import type { Lots } from "../../core/units.js";
import type { UnwindMarket } from "../../liquidator/plan/unwind-estimate.js";
import { netLevels } from "../../market/book/net-book.js";
import type { BotContext } from "../engine/context.js";
import { restingIn } from "../execution/executor-touch.js";
import { signedRates } from "../execution/signed-rates.js";
import type { MarketTrader } from "../market/market-trader.js";

/** Levels per side that an estimate uses. */
const DEPTH = 200;

/**
 * The present state of a market for an estimate of what an unwind costs, without our own orders;
 * undefined without a book or a mark.
 * @param pendingUnwindLots of earlier takeovers that are still to be sold, signed
 */
export function readUnwindMarket(
  { account, config }: Pick<BotContext, "account" | "config">,
  trader: MarketTrader,
  pendingUnwindLots: Lots,
): UnwindMarket | undefined {
  const { book, instrument, rules, state } = trader;
  if (state.mark === undefined || !book.isSynchronised) return undefined;
  const own = restingIn(trader, account.orders);
  return {
    instrument,
    bids: netLevels(book.bids, own, DEPTH),
    asks: netLevels(book.asks, own, DEPTH),
    ...signedRates(config, rules),
    pendingUnwindLots,
    markPrice: state.mark,
  };
}
