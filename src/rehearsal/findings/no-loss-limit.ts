import { quoteAmount } from "../summary/quote-amount.js";
import { largestBy } from "./largest-by.js";
import type { RehearsalRule } from "./rehearsal-finding.js";

/** A loss limit above this share of the account is no limit: a jump takes the rest. */
const LARGEST_LIMIT_PERCENT = 25n;
/** A loss below this share of the account shows nothing. */
const LEAST_LOSS_PERCENT = 1n;

/**
 * Finds a loss limit so high that the account lost money in a moving market, and nothing reduced
 * the position or cancelled the quotes.
 */
export const findNoLossLimit: RehearsalRule = ({ rehearsal, runs }) => {
  const { decimals, equityScaled } = rehearsal;
  const shown = runs.struckBy("price-trend", "price-jump").filter(({ run }) => {
    const stopping = run.rungs.filter(({ action }) => action !== "warn" && action !== "widen");
    return (
      run.worstDrawdownScaled * 100n >= equityScaled * LEAST_LOSS_PERCENT &&
      stopping.every(
        ({ atScaled, firedAfterMs }) =>
          firedAfterMs === undefined && atScaled * 100n > equityScaled * LARGEST_LIMIT_PERCENT,
      )
    );
  });
  const worst = largestBy(shown, ({ run }) => run.worstDrawdownScaled);
  if (worst === undefined) return undefined;
  const { run } = worst;
  const money = quoteAmount(run.worstDrawdownScaled, decimals);
  return {
    id: "no-loss-limit",
    fault: run.fault,
    seed: run.seed,
    lossScaled: run.worstDrawdownScaled,
    key: "risk.maxDrawdownQuote",
    text: `the account fell by ${money} quote, and no limit acted`,
    advice: `set a loss that you can bear, at most ${LARGEST_LIMIT_PERCENT} % of the account's ${quoteAmount(equityScaled, decimals)}`,
  };
};
