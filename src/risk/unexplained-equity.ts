import type { CreditUnits, Ms } from "../core/units.js";

/**
 * Time after which a net value below the explained one counts as a loss. Until then it may be a
 * withdrawal in transit.
 */
export const LOSS_EXPLAINED_WITHIN_MS: Ms = 3_000;
/**
 * Time after which a net value above the explained one counts as profit. Until then it may be an
 * unreported deposit. Longer than the interval between two reconciliations.
 */
export const GAIN_EXPLAINED_WITHIN_MS: Ms = 40_000;
/** Age at which a deposit is certain to be in a list of incomes. */
export const LISTED_WITHIN_MS: Ms = 5_000;

/**
 * Difference between the net value that the exchange reported and the one that trades, incomes and
 * marks explain. Immutable.
 */
export interface UnexplainedEquity {
  /** The part that has lasted long enough to count as profit or loss. */
  readonly accepted: CreditUnits;
  /** Recent differences and their start, the present one last. */
  readonly recent: readonly { readonly beyond: CreditUnits; readonly fromMs: Ms }[];
}

/** One update of the unexplained equity. */
interface UnexplainedEquityReading {
  readonly state: UnexplainedEquity;
  /**
   * The part that a deposit (above zero) or a withdrawal (below) in transit may still explain. Zero
   * if all is explained or has lasted too long.
   */
  readonly possibleTransfer: CreditUnits;
}

/**
 * Updates the unexplained equity. Balances and incomes arrive separately: a transfer may be in one
 * before it is in the other. Only the amount that has lasted for the whole period is accepted, so
 * that a new transfer is not accepted together with an old rounding difference. A gain also needs a
 * list of incomes since then that does not explain it. Otherwise a deposit during an outage would
 * count as profit, and raise the peak a second time when it is reported.
 * @param before result of the last call; undefined the first time, before which everything was
 * explained
 * @param beyond the reported net value less the explained one
 * @param listedAtMs when the exchange last listed its incomes, on the clock of `nowMs`
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
  let { accepted } = known;
  const gain = lately.reduce((least, one) => (one.beyond < least ? one.beyond : least), beyond);
  if (gain > accepted) accepted = gain;
  const loss = since(lately, nowMs - LOSS_EXPLAINED_WITHIN_MS).reduce(
    (most, one) => (one.beyond > most ? one.beyond : most),
    beyond,
  );
  if (loss < accepted) accepted = loss;
  return { state: { accepted, recent: lately }, possibleTransfer: beyond - accepted };
}

/** The values that held at any moment after `afterMs`. */
function since(lately: UnexplainedEquity["recent"], afterMs: Ms): UnexplainedEquity["recent"] {
  return lately.filter((_, at) => (lately[at + 1]?.fromMs ?? Number.POSITIVE_INFINITY) > afterMs);
}
