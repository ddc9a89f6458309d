import type { Ms } from "../../core/units.js";

/** Settings of a {@link FundingRateModel}. */
export interface FundingRateModelOptions {
  /** Share of a rate's distance from its mean that the next rate keeps, until there is a fit. */
  readonly persistence: number;
  /** Mean of the rates until there is a fit, in basis points a funding. */
  readonly longRunBps: number;
  /** Standard deviation of what the model does not predict, until there is a fit. */
  readonly residualBps: number;
  /** Time between two fundings until two were seen. */
  readonly periodMs: Ms;
  /** Rates that are kept, the newest. */
  readonly windowRates: number;
  /** Rates that a fit needs, or `windowRates` if that is less. */
  readonly leastRates: number;
}

/** A rate that was paid. */
export interface PaidRate {
  readonly rateBps: number;
  readonly stampMs: Ms;
}

/** The process of the funding rates: of first order, returning to its mean. */
export interface FundingRateFit {
  /** From 0 to 0.99: what one funding keeps of the distance from the mean. */
  readonly persistence: number;
  /** Basis points a funding. */
  readonly longRunBps: number;
  /** Standard deviation of one prediction's error, in basis points. */
  readonly residualBps: number;
  readonly periodMs: Ms;
  /** False for the values of the options. */
  readonly isFitted: boolean;
}

/** A process that keeps all of its distance has no mean to return to. */
const MOST_PERSISTENCE = 0.99;
/** Fundings are stamped some milliseconds late, never so much. */
const STAMP_SLACK_MS = 10_000;
/** Share of the distances that a period has at least. */
const PERIOD_SHARE = 0.1;

/**
 * Funding rates as a process of first order, `f(k+1) = m + rho (f(k) - m) + e`, fitted on the rates
 * seen so far by the equations of Yule and Walker: `m` is the mean, `rho` the autocorrelation.
 * Least squares would put the mean of a persistent process anywhere; this one is always the mean of
 * rates that were paid.
 * @example
 * ```ts
 * import { FundingRateModel } from "marketwright";
 *
 * const prior = { persistence: 0.8, longRunBps: 0, residualBps: 2, periodMs: 28_800_000 };
 * const model = new FundingRateModel({ ...prior, windowRates: 270, leastRates: 4 });
 * for (const [at, rateBps] of [1, 3, 2, 2].entries()) model.observe(rateBps, at * 3_600_000);
 * model.fit.longRunBps; // => 2
 * model.fit.periodMs; // => 3_600_000
 * ```
 */
export class FundingRateModel {
  readonly #options: FundingRateModelOptions;
  readonly #rates: PaidRate[] = [];
  #fit: FundingRateFit;

  constructor(options: FundingRateModelOptions) {
    this.#options = options;
    const { persistence, longRunBps, residualBps, periodMs } = options;
    this.#fit = { persistence, longRunBps, residualBps, periodMs, isFitted: false };
  }

  /** The newest fit. It is replaced whenever it changes. */
  get fit(): FundingRateFit {
    return this.#fit;
  }

  /** The rates within the window, oldest first; the same array as long as there is no new one. */
  get rates(): readonly PaidRate[] {
    return this.#rates;
  }

  /** Observes the rate that was paid at a funding time; one not after the last is ignored. */
  observe(rateBps: number, stampMs: Ms): void {
    const last = this.#rates.at(-1)?.stampMs ?? Number.NEGATIVE_INFINITY;
    if (!Number.isFinite(rateBps) || !(stampMs > last + STAMP_SLACK_MS)) return;
    this.#rates.push({ rateBps, stampMs });
    if (this.#rates.length > this.#options.windowRates) this.#rates.shift();
    this.#refit();
  }

  #refit(): void {
    const rates = this.#rates;
    const { leastRates, windowRates } = this.#options;
    const periodMs = periodOf(rates);
    if (periodMs === undefined) return;
    if (rates.length < Math.min(leastRates, windowRates)) {
      this.#fit = { ...this.#fit, periodMs };
      return;
    }
    const mean = rates.reduce((sum, { rateBps }) => sum + rateBps, 0) / rates.length;
    const pairs: (readonly [before: number, after: number])[] = [];
    for (let at = 1; at < rates.length; at++) {
      const { rateBps, stampMs } = rates[at];
      if (stampMs - rates[at - 1].stampMs <= periodMs + STAMP_SLACK_MS)
        pairs.push([rates[at - 1].rateBps - mean, rateBps - mean]);
    }
    let products = 0;
    for (const [before, after] of pairs) products += before * after;
    let squares = 0;
    for (const { rateBps } of rates) squares += (rateBps - mean) ** 2;
    const persistence =
      squares > 0 ? Math.max(0, Math.min(MOST_PERSISTENCE, products / squares)) : 0;
    let errors = 0;
    for (const [before, after] of pairs) errors += (after - persistence * before) ** 2;
    this.#fit = {
      persistence,
      longRunBps: mean,
      residualBps: Math.sqrt(errors / Math.max(1, pairs.length - 2)),
      periodMs,
      isFitted: true,
    };
  }
}

/**
 * The least distance of two rates that a tenth of them have: a bot that was down has missed
 * fundings, and an exchange moves single ones. Undefined for fewer than two rates.
 */
function periodOf(rates: readonly PaidRate[]): Ms | undefined {
  const distancesMs = rates
    .slice(1)
    .map(({ stampMs }, at) => stampMs - rates[at].stampMs)
    .sort((one, other) => one - other);
  for (let first = 0; first < distancesMs.length; ) {
    let next = first;
    while (next < distancesMs.length && distancesMs[next] <= distancesMs[first] + STAMP_SLACK_MS)
      next++;
    if (next - first >= distancesMs.length * PERIOD_SHARE) return distancesMs[first];
    first = next;
  }
  return distancesMs[0];
}
