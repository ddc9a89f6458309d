import type { Ms } from "../../core/units.js";
import { quoteAmount } from "../summary/quote-amount.js";
import { largestBy } from "./largest-by.js";
import type { RehearsalRule } from "./rehearsal-finding.js";

/** Mean time a silence in which quotes may be open, after its first seconds. */
const LONGEST_MS: Ms = 5_000;

/** Finds a bot that quotes on at a reference price long after its source has become silent. */
export const findStaleReferenceTrusted: RehearsalRule = ({ rehearsal, runs }) => {
  const shown = runs
    .struckBy("reference-silent")
    .filter(({ run }) => run.quotesOnStaleReferenceMs / run.strikes > LONGEST_MS);
  const worst = largestBy(shown, ({ lossScaled }) => lossScaled);
  if (worst === undefined) return undefined;
  const { run, lossScaled } = worst;
  return {
    id: "stale-reference-trusted",
    fault: run.fault,
    seed: run.seed,
    lossScaled,
    key: "markets.*.reference.maxAgeMs",
    text: `quotes were open for ${Math.round(run.quotesOnStaleReferenceMs / 1000)} s on a reference that was silent, and the run lost ${quoteAmount(lossScaled, rehearsal.decimals)} quote more than without the silence`,
    advice: "trust a price for a few seconds only",
  };
};
