import { quoteAmount } from "../summary/quote-amount.js";
import { largestBy } from "./largest-by.js";
import type { RehearsalRule } from "./rehearsal-finding.js";

/** Fewer fills than this in all calm runs show nothing. */
const LEAST_FILLS = 20;

/** Finds quotes so near to the mid that the fees of a fill are more than its distance from it. */
export const findSpreadBelowFees: RehearsalRule = ({ rehearsal, runs }) => {
  const calm = runs.under("none");
  const fills = calm.reduce((sum, run) => sum + run.fills, 0);
  const fees = calm.reduce((sum, run) => sum + run.feesScaled, 0n);
  const edge = calm.reduce((sum, run) => sum + run.edgeScaled, 0n);
  if (fills < LEAST_FILLS || fees <= 0n || edge >= fees) return undefined;
  const worst = largestBy(calm, (run) => run.feesScaled - run.edgeScaled);
  if (worst === undefined) return undefined;
  const money = (scaled: bigint): string => quoteAmount(scaled, rehearsal.decimals);
  return {
    id: "spread-below-fees",
    fault: "none",
    seed: worst.seed,
    lossScaled: worst.feesScaled - worst.edgeScaled,
    key: "markets.*.params",
    text: `${worst.fills} fills earned ${money(worst.edgeScaled)} quote of spread and paid ${money(worst.feesScaled)} of fees`,
    advice:
      "quote further from the mid than the fee of a fill, or do not take (quotes.timeInForce)",
  };
};
