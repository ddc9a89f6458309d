import { MINUTE_MS } from "../../core/units.js";
import { largestBy } from "./largest-by.js";
import type { RehearsalRule } from "./rehearsal-finding.js";

/** Share of the exchange's ORDER tokens that quoting may take in a calm market, in percent. */
const LARGEST_SHARE_PERCENT = 50;

/**
 * Finds a bot that spends most of its rate limit in a calm market: it follows each tick, loses its
 * places in the queue, and has no tokens left when it has to cancel.
 */
export const findNoTolerance: RehearsalRule = ({ config, rehearsal, runs }) => {
  const limit = rehearsal.orderTokensPerMinute;
  if (limit === undefined) return undefined;
  const worst = largestBy(runs.under("none"), ({ tokens }) => tokens.order);
  if (worst === undefined) return undefined;
  const perMinute = Math.round(worst.tokens.order / (worst.marketMs / MINUTE_MS));
  if (perMinute * 100 <= limit * LARGEST_SHARE_PERCENT && worst.refusals429 === 0) return undefined;
  const isExact = config.quotes.priceToleranceTicks === 0;
  return {
    id: "no-tolerance",
    fault: "none",
    seed: worst.seed,
    lossScaled: undefined,
    key: isExact ? "quotes.priceToleranceTicks" : "decide.minGapMs",
    text: `${worst.orders} orders for ${worst.fills} fills took ${perMinute} of ${limit} ORDER tokens a minute in a calm market`,
    advice: isExact
      ? "let an order that is a few ticks off keep its place, or set the strategy's refreshToleranceBps"
      : "decide less often, or let an order that is nearly right keep its place",
  };
};
