import type { Ms } from "../../core/units.js";
import type { HedgeView, MarketView } from "../../market/view.js";
import {
  type CarryLeg,
  expectedSpreadBps,
  lowerQuantile,
  spreadSurprisesBps,
} from "../models/carry-spread.js";
import type { PaidRate } from "../models/funding-rate-model.js";
import { announcedFunding } from "./announced-rates.js";
import type { CarryState } from "./decide-carry.js";
import type { CarryParams } from "./funding-params.js";
import { LegRates } from "./leg-rates.js";

const BPS_IN_ONE = 10_000;

/** A carry trade at a view: its state apart from the position, and the terms of a reason. */
export interface CarryFigures extends Omit<CarryState, "heldSide"> {
  readonly ownPositionLots: number;
  readonly terms: Readonly<Record<string, number>>;
}

/** Recorded rates of both legs. */
export interface RecordedLegs {
  readonly here: readonly PaidRate[];
  readonly there: readonly PaidRate[];
}

/** The rates of both legs and the mean of the basis, as far as the views have shown them. */
export class CarryEstimates {
  readonly #here: LegRates;
  readonly #there: LegRates;
  #basis: { readonly meanBps: number; readonly timeMs: Ms } | undefined;
  #worst: { readonly of: readonly unknown[]; readonly bps: CarryState["worst"] } | undefined;

  constructor({ rate }: CarryParams, recorded: RecordedLegs | undefined) {
    this.#here = new LegRates(rate, recorded?.here);
    this.#there = new LegRates(rate, recorded?.there);
  }

  /** Observes a view, in the order of their times. */
  observe(view: MarketView, { carry: { basisWindowMs } }: CarryParams): void {
    const { hedge, timeMs } = view;
    this.#here.observe(view);
    if (hedge === undefined) return;
    this.#there.observe({ ...hedge, timeMs });
    const basisBps = basisOf(view, hedge);
    if (!Number.isFinite(basisBps)) return;
    const { meanBps, timeMs: beforeMs } = this.#basis ?? { meanBps: basisBps, timeMs };
    const weight = 1 - Math.exp(-Math.max(0, timeMs - beforeMs) / basisWindowMs);
    this.#basis = { meanBps: meanBps + weight * (basisBps - meanBps), timeMs };
  }

  /** The figures at a view, or the reason why there are none. */
  at(view: MarketView, params: CarryParams, makerFeeBps: number): CarryFigures | string {
    const { hedge, timeMs } = view;
    if (hedge === undefined) return "carry: the hedge is not connected";
    const [own, other] = [announcedFunding(view), announcedFunding({ ...hedge, timeMs })];
    if (own === undefined) return "carry: no funding is announced here";
    if (other === undefined) return "carry: no funding is announced at the hedge venue";
    const basisBps = basisOf(view, hedge);
    const halfSpreadBps = (BPS_IN_ONE * hedge.halfSpreadTicks) / hedge.midTicks;
    const feesBps = 2 * (makerFeeBps + hedge.takerFeeBps + halfSpreadBps);
    if (!Number.isFinite(feesBps + basisBps)) return "carry: the hedge has no price";
    const { holdingMs, carry } = params;
    const here: CarryLeg = { announced: own, fit: this.#here.model.fit };
    const there: CarryLeg = { announced: other, fit: this.#there.model.fit };
    const spreadBps = expectedSpreadBps(here, there, holdingMs);
    const convergence = 1 - 0.5 ** (holdingMs / carry.basisHalfLifeMs);
    return {
      ownPositionLots: hedge.ownPositionLots,
      spreadBps,
      basisBps: convergence * ((this.#basis?.meanBps ?? basisBps) - basisBps),
      feesBps,
      worst: this.#worstCase(params),
      terms: {
        fundingRateBps: own.rateBps,
        hedgeFundingRateBps: other.rateBps,
        spreadBps,
        basisBps,
        feesBps,
        longRunRateBps: here.fit.longRunBps,
        hedgeLongRunRateBps: there.fit.longRunBps,
        rateEstimated: this.#here.model.fit.isFitted && this.#there.model.fit.isFitted ? 1 : 0,
      },
    };
  }

  /** Computed again only when a rate was paid, or a parameter has changed. */
  #worstCase({ holdingMs, carry: { worstShare, leastTimes } }: CarryParams): CarryState["worst"] {
    const [here, there] = [this.#here.model, this.#there.model];
    const of = [here.fit, there.fit, holdingMs, worstShare, leastTimes];
    if (this.#worst?.of.every((value, at) => value === of[at])) return this.#worst.bps;
    const longs = spreadSurprisesBps(here, there, holdingMs);
    const shorts = longs.map((bps) => -bps);
    const [longBps, shortBps] = [
      lowerQuantile(longs, worstShare),
      lowerQuantile(shorts, worstShare),
    ];
    const bps =
      longs.length < leastTimes || longBps === undefined || shortBps === undefined
        ? undefined
        : { longBps: Math.min(0, longBps), shortBps: Math.min(0, shortBps) };
    this.#worst = { of, bps };
    return bps;
  }
}

/** The mid here against that of the hedge, in basis points: above 0 where this one is dearer. */
function basisOf({ midTicks }: MarketView, hedge: HedgeView): number {
  return BPS_IN_ONE * (midTicks / hedge.midTicks - 1);
}
