import { STRATEGY_ERROR } from "./bot-failed.js";
import { largestBy } from "./largest-by.js";
import type { RehearsalRule } from "./rehearsal-finding.js";

/** A bot without an open order for more than this share of a calm market does not quote it. */
const LARGEST_SHARE = 0.5;

/**
 * Finds a bot that sends no order, or has none open for most of the time, though nothing is wrong:
 * no fault can cost it anything, so that the other rules have nothing to judge.
 */
export const findNeverQuotes: RehearsalRule = ({ runs }) => {
  const shown = runs.under("none").filter(({ orders, unquotedMs, marketMs, markets, ...run }) => {
    // An error is a finding of its own.
    if (run.error !== undefined || run.halts.some(({ name }) => name === STRATEGY_ERROR))
      return false;
    return orders === 0 || unquotedMs > LARGEST_SHARE * marketMs * markets;
  });
  const worst = largestBy(shown, ({ unquotedMs }) => unquotedMs);
  if (worst === undefined) return undefined;
  const { seed, orders, unquotedMs, marketMs, markets, halts } = worst;
  const longest = largestBy(halts, ({ heldMs }) => heldMs);
  const share = Math.round((unquotedMs / (marketMs * markets)) * 100);
  const halted =
    longest === undefined
      ? ""
      : `, and the halt ${longest.name} was in force for ${Math.round(longest.heldMs / 1000)} s`;
  return {
    id: "never-quotes",
    fault: "none",
    seed,
    lossScaled: undefined,
    key: "markets.*",
    text: `${orders} orders without a fault: no order was open for ${share} % of the time${halted}`,
    advice: "repeat the run, and correct what its time line names: nothing else was rehearsed",
  };
};
