import type { CreditUnits, Ms } from "../core/units.js";

/** How long a net value below what the books explain may be a withdrawal on its way: after that it is a loss. */
export const LOSS_EXPLAINED_WITHIN_MS: Ms = 3_000;
/** How long one above it may be a deposit that nobody has told yet: longer than from one reconciliation to the next. */
export const GAIN_EXPLAINED_WITHIN_MS: Ms = 40_000;
/** How much older than a list of incomes a deposit is that is in it. */
export const LISTED_WITHIN_MS: Ms = 5_000;

/** By how much the net value that the exchange told was beyond the one that trades, incomes and marks explain. Immutable. */
export interface UnexplainedEquity {
  /** What of it has stood for so long that it is taken for what it looks like: profit or loss. */
  readonly accepted: CreditUnits;
  /** What it was lately, and from when on: the present last. */
  readonly recent: readonly { readonly beyond: CreditUnits; readonly fromMs: Ms }[];
}

/** A look at it. */
interface UnexplainedEquityReading {
  readonly state: UnexplainedEquity;
  /** What a deposit (above zero) or a withdrawal (below) that is on its way may explain yet; zero when all is explained, or has stood too long. */
  readonly possibleTransfer: CreditUnits;
}

/**
 * Balances and incomes come on ways of their own: a transfer may be in the one before it is in the other. Only as much as has stood for the whole
 * of its time is taken, so that a transfer of just now is not taken together with a rounding of long ago; and of a gain, only what no list of incomes
 * has explained since: in an outage of the exchange a deposit would be taken for profit, and raise the peak once more when it is told.
 * @param before what the last call gave; undefined the first time, before which everything was explained.
 * @param beyond the net value told less the one that is explained.
 * @param listedAtMs when the exchange last listed its incomes, on the clock of `nowMs`.
 */
export function observeUnexplainedEquity(
  before: UnexplainedEquity | undefined,
  beyond: CreditUnits,
  nowMs: Ms,
  listedAtMs: Ms,
): UnexplainedEquityReading {
  const known = before ?? { accepted: 0n, recent: [{ beyond: 0n, fromMs: nowMs }] };
  const { recent: steps } = known;
  if (steps.length === 1 && beyond === known.accepted && steps[0]?.beyond === beyond)
    return { state: known, possibleTransfer: 0n };
  const stoodSinceMs = Math.min(nowMs - GAIN_EXPLAINED_WITHIN_MS, listedAtMs - LISTED_WITHIN_MS);
  const lately = since(
    steps.at(-1)?.beyond === beyond ? steps : [...steps, { beyond, fromMs: nowMs }],
    stoodSinceMs,
  );
  let { accepted: taken } = known;
  const gain = lately.reduce((least, one) => (one.beyond < least ? one.beyond : least), beyond);
  if (gain > taken) taken = gain;
  const loss = since(lately, nowMs - LOSS_EXPLAINED_WITHIN_MS).reduce(
    (most, one) => (one.beyond > most ? one.beyond : most),
    beyond,
  );
  if (loss < taken) taken = loss;
  return { state: { accepted: taken, recent: lately }, possibleTransfer: beyond - taken };
}

/** Those that were so at any moment after this one. */
function since(lately: UnexplainedEquity["recent"], afterMs: Ms): UnexplainedEquity["recent"] {
  return lately.filter((_, at) => (lately[at + 1]?.fromMs ?? Number.POSITIVE_INFINITY) > afterMs);
}
