import { quoteAmount } from "../summary/quote-amount.js";
import { largestBy } from "./largest-by.js";
import type { RehearsalRule } from "./rehearsal-finding.js";

/** A position of more orders than this, all on one side, is not managed. */
const MOST_ORDERS_HELD = 30;

/**
 * Finds a bot whose position grew without end in a trend: it quotes both sides alike, and its
 * limit is far beyond the size of its orders.
 */
export const findInventoryIgnored: RehearsalRule = ({ rehearsal, runs }) => {
  const shown = runs.struckBy("price-trend").flatMap((pair) => {
    const { run, lossScaled } = pair;
    const held = Object.entries(run.largestPositionLots).map(([marketId, lots]) => ({
      marketId,
      orders: lots / (run.largestOrderLots[marketId] || Number.POSITIVE_INFINITY),
    }));
    const most = largestBy(held, ({ orders }) => orders);
    if (most === undefined || most.orders <= MOST_ORDERS_HELD || lossScaled <= 0n) return [];
    return [{ run, lossScaled, ...most }];
  });
  const worst = largestBy(shown, ({ lossScaled }) => lossScaled);
  if (worst === undefined) return undefined;
  const { run, lossScaled, marketId, orders } = worst;
  return {
    id: "inventory-ignored",
    fault: run.fault,
    seed: run.seed,
    lossScaled,
    key: `markets.${marketId}.limits.maxPositionBase`,
    text: `the position grew to ${Math.round(orders)} orders of one side, and the run lost ${quoteAmount(lossScaled, rehearsal.decimals)} quote more than without the trend`,
    advice:
      "limit the position to a few orders, or let the quotes lean against it (such as priceSkewBps)",
  };
};
