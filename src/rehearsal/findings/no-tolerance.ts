import { MINUTE_MS } from "../../core/units.js";
import type { RehearsedRun } from "../rehearsal-result.js";
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
  const shown = runs
    .under("none")
    .filter((run) => perMinuteOf(run) * 100 > limit * LARGEST_SHARE_PERCENT || run.refusals429 > 0);
  const worst = largestBy(shown, ({ tokens }) => tokens.order);
  if (worst === undefined) return undefined;
  const refused = worst.refusals429 === 0 ? "" : `, with ${worst.refusals429} answers 429`;
  const isExact = config.quotes.priceToleranceTicks === 0;
  return {
    id: "no-tolerance",
    fault: "none",
    seed: worst.seed,
    lossScaled: undefined,
    key: isExact ? "quotes.priceToleranceTicks" : "decide.minGapMs",
    text: `${worst.orders} orders for ${worst.fills} fills took ${perMinuteOf(worst)} of ${limit} ORDER tokens a minute in a calm market${refused}`,
    advice: isExact
      ? "let an order that is a few ticks off keep its place, or set the strategy's refreshToleranceBps"
      : "decide less often, or let an order that is nearly right keep its place",
  };
};

function perMinuteOf({ tokens, marketMs }: Pick<RehearsedRun, "tokens" | "marketMs">): number {
  return Math.round(tokens.order / (marketMs / MINUTE_MS));
}
