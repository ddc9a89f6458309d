import type { BotConfig } from "../config/config.js";
import { DEFAULT_WIDEN_FACTOR, type RungConfig } from "../config/fields/ladder-fields.js";
import { flattenTermsFor, markoutOptionsFor } from "../safety/ladder-rungs.js";

/**
 * The action at each loss, inventory and markout, and the effect on the position: one line per
 * rung, the account's first.
 */
export function formatLossRules(config: Pick<BotConfig, "risk">): readonly string[] {
  const {
    maxDrawdownQuote,
    onDrawdown = "halt",
    maxDailyLossQuote,
    onDailyLoss = onDrawdown,
    ladder,
  } = config.risk;
  const { maxSlippageBps, slices, everyMs } = flattenTermsFor(config);
  const sold = `every position is sold in ${slices} orders, one each ${everyMs} ms and none worse than ${maxSlippageBps} bps from the mark, then everything is halted`;
  const limit = (action: "halt" | "reduce" | "flatten", until: string): string => {
    switch (action) {
      case "halt":
        return `quotes are cancelled until ${until}; positions stay open and can lose more`;
      case "reduce":
        return `only orders that reduce a position rest until ${until}; what they do not sell can lose more`;
      case "flatten":
        return `${sold} until ${until}; what cannot be sold at that price can lose more`;
    }
  };
  const { horizonMs, fills } = markoutOptionsFor(config);
  return [
    ...(ladder?.drawdown ?? []).map(
      (rung) => `from ${rung.fromQuote} quote below the peak on: ${rungText(rung)}`,
    ),
    `over ${maxDrawdownQuote} quote below the peak: ${limit(onDrawdown, "resume")}`,
    ...(ladder?.dailyLoss ?? []).map(
      (rung) => `from ${rung.fromQuote} quote lost since midnight UTC on: ${rungText(rung)}`,
    ),
    ...(maxDailyLossQuote === undefined
      ? []
      : [
          `over ${maxDailyLossQuote} quote lost since midnight UTC: ${limit(onDailyLoss, "the day is over, or resume")}`,
        ]),
    ...(ladder?.inventory ?? []).map(
      (rung) =>
        `in a market whose position is from ${rung.fromFraction} of its limit on: ${rungText(rung, "quotes that add to it")}`,
    ),
    ...(ladder?.markout ?? []).map(
      (rung) =>
        `in a market whose newest ${fills} fills lost from ${rung.fromBps} bps on within ${horizonMs} ms: ${rungText(rung)}`,
    ),
  ];
}

function rungText(
  { action, widenFactor = DEFAULT_WIDEN_FACTOR }: RungConfig,
  widened = "quotes",
): string {
  switch (action) {
    case "warn":
      return "the log warns";
    case "widen":
      return `${widened} are ${widenFactor} times as far from the mid`;
    case "reduce":
      return "only orders that reduce the position rest";
    case "halt":
      return "quotes are cancelled until resume; the position stays open";
    case "flatten":
      return "the position is sold as above, then halted until resume";
  }
}
