import type { Ms } from "../../core/units.js";
import type { AnnouncedFunding } from "./funding-carry.js";
import type { FundingRateFit, PaidRate } from "./funding-rate-model.js";

/** One leg of a carry trade at an instant. */
export interface CarryLeg {
  readonly announced: AnnouncedFunding;
  readonly fit: Omit<FundingRateFit, "isFitted">;
}

/**
 * The funding that a long position is expected to receive over a time, in basis points of its
 * value: negative if it pays. The next rate is the announced one, the later ones return to their
 * mean.
 */
function expectedFundingBps(
  { announced: { rateBps, untilMs }, fit }: CarryLeg,
  horizonMs: Ms,
): number {
  const { persistence, longRunBps, periodMs } = fit;
  const fundings = fundingsWithin(untilMs, periodMs, horizonMs);
  const kept = (1 - persistence ** fundings) / (1 - persistence);
  return -(fundings * longRunBps + (rateBps - longRunBps) * kept);
}

/**
 * The funding that a position which is long here and as much short at the other exchange is
 * expected to receive over a time, in basis points of one leg's value.
 */
export function expectedSpreadBps(here: CarryLeg, there: CarryLeg, horizonMs: Ms): number {
  return expectedFundingBps(here, horizonMs) - expectedFundingBps(there, horizonMs);
}

/** The rate that a fit expects after the last one, in basis points. */
export function predictRateBps(
  { persistence, longRunBps }: Pick<FundingRateFit, "persistence" | "longRunBps">,
  lastBps: number,
): number {
  return longRunBps + persistence * (lastBps - longRunBps);
}

/** The rates that one leg has paid, oldest first, and the fit by which they are predicted. */
export interface CarryHistory {
  readonly rates: readonly PaidRate[];
  readonly fit: Omit<FundingRateFit, "isFitted">;
}

/**
 * The receipts of a position that is long here and short there beyond their expectation, over each
 * time of the length of the horizon in the history of both legs, in basis points. A time begins
 * after each funding here; one in which a funding is missing does not count. The expectation knows
 * the rates paid until then: that of the next one is its prediction, since the history has no
 * announcements, and the rate that was paid later would flatter it.
 */
export function spreadSurprisesBps(
  here: CarryHistory,
  there: CarryHistory,
  horizonMs: Ms,
): readonly number[] {
  const [own, other] = [new PaidRates(here), new PaidRates(there)];
  const surprises: number[] = [];
  for (const { stampMs } of here.rates) {
    const [ownBps, otherBps] = [
      own.surpriseBps(stampMs, horizonMs),
      other.surpriseBps(stampMs, horizonMs),
    ];
    if (ownBps !== undefined && otherBps !== undefined) surprises.push(ownBps - otherBps);
  }
  return surprises;
}

/**
 * The value that a share of the values is below: the lower of the two around it.
 * @param share from 0 to 1
 * @returns undefined without values
 */
export function lowerQuantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** The paid rates of one leg, for times that follow one another. */
class PaidRates {
  readonly #history: CarryHistory;
  #first = 0;

  constructor(history: CarryHistory) {
    this.#history = history;
  }

  /** Receipts of a long beyond their expectation; undefined if the history has not all of them. */
  surpriseBps(fromMs: Ms, horizonMs: Ms): number | undefined {
    const { rates, fit } = this.#history;
    while ((rates[this.#first]?.stampMs ?? Number.POSITIVE_INFINITY) <= fromMs) this.#first += 1;
    const [before, next] = [rates[this.#first - 1], rates[this.#first]];
    const last = rates.at(-1);
    if (before === undefined || next === undefined || last === undefined) return undefined;
    if (before.stampMs <= fromMs - fit.periodMs) return undefined;
    if (next.stampMs > fromMs + fit.periodMs) return undefined;
    // A period more: the last funding within the time may be stamped at its end.
    if (last.stampMs + fit.periodMs <= fromMs + horizonMs) return undefined;
    let paidBps = 0;
    let at = this.#first;
    for (; at < rates.length && rates[at].stampMs <= fromMs + horizonMs; at++)
      paidBps += rates[at].rateBps;
    const untilMs = next.stampMs - fromMs;
    if (at - this.#first !== fundingsWithin(untilMs, fit.periodMs, horizonMs)) return undefined;
    const leg = { announced: { rateBps: predictRateBps(fit, before.rateBps), untilMs }, fit };
    return -paidBps - expectedFundingBps(leg, horizonMs);
  }
}

function fundingsWithin(untilMs: Ms, periodMs: Ms, horizonMs: Ms): number {
  return untilMs > horizonMs ? 0 : 1 + Math.floor((horizonMs - untilMs) / periodMs);
}
