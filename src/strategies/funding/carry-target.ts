import type { Lots } from "../../core/units.js";
import { type AnnouncedFunding, carryBand, type FundingCarry } from "../models/funding-carry.js";
import type { FundingRateFit } from "../models/funding-rate-model.js";

/** Steps of the limit that a target moves in: a change of a lot would move every quote. */
const STEPS_TO_LIMIT = 20;

/** Inputs of {@link carryTarget}. */
export interface CarryTargetInputs {
  /** Undefined while no funding is announced. */
  readonly announced: AnnouncedFunding | undefined;
  readonly fit: FundingRateFit;
  /** Undefined while no funding is announced. */
  readonly carry: FundingCarry | undefined;
  /** Fees of getting in and out, from 0. */
  readonly feesBps: number;
  /** Per basis point of value and per order held. */
  readonly riskAversion: number;
  /** Variance of the price over the holding time, in square basis points. */
  readonly priceVarianceBps2: number;
  /** Lots of one order, before rounding. */
  readonly orderLots: number;
  readonly positionLots: Lots;
  /** Largest target, without sign. */
  readonly limitLots: number;
}

/** The target inventory of a strategy that is paid funding. */
export interface CarryTarget {
  /** Signed. */
  readonly targetLots: Lots;
  /** Terms of the reason. */
  readonly terms: Readonly<Record<string, number>>;
  /** Clamps of the reason: the target is 0, or at its limit. */
  readonly notes: readonly string[];
}

/**
 * The target inventory: on the side that is paid, within the band of `carryBand` and the limit, in
 * steps of a twentieth of the limit. A position within the band is its own target.
 */
export function carryTarget(inputs: CarryTargetInputs): CarryTarget {
  const { announced, fit, carry, feesBps, riskAversion, priceVarianceBps2 } = inputs;
  const { orderLots, positionLots, limitLots } = inputs;
  if (announced === undefined || carry === undefined)
    return {
      targetLots: 0,
      terms: { targetOrders: 0, ...fitTerms(fit) },
      notes: ["target: no funding is announced"],
    };
  const { longBps, varianceBps2 } = carry;
  const band = carryBand(longBps, {
    feesBps,
    riskAversion,
    varianceBps2: priceVarianceBps2 + varianceBps2,
  });
  const stepLots = Math.max(1, Math.round(limitLots / STEPS_TO_LIMIT));
  const within = (orders: number): Lots =>
    Math.floor(Math.min(limitLots, orders * orderLots) / stepLots) * stepLots;
  const [nearLots, farLots] = [within(band.nearOrders), within(band.farOrders)];
  const paidSide = longBps < 0 ? -1 : 1;
  const heldLots = Math.max(nearLots, Math.min(farLots, paidSide * positionLots));
  const notes: string[] = [];
  if (Math.abs(longBps) <= feesBps) notes.push("target: the carry does not pay its fees");
  else if (band.nearOrders * orderLots > limitLots) notes.push("target: the position limit");
  return {
    targetLots: heldLots === 0 ? 0 : paidSide * heldLots,
    terms: {
      targetOrders: heldLots === 0 ? 0 : (paidSide * heldLots) / orderLots,
      fundingRateBps: announced.rateBps,
      secondsToFunding: announced.untilMs / 1000,
      ...fitTerms(fit),
      carryBps: longBps,
      carryDeviationBps: Math.sqrt(varianceBps2),
      priceDeviationBps: Math.sqrt(priceVarianceBps2),
      feesBps,
    },
    notes,
  };
}

function fitTerms({ persistence, longRunBps, residualBps, isFitted }: FundingRateFit) {
  return {
    ratePersistence: persistence,
    longRunRateBps: longRunBps,
    rateResidualBps: residualBps,
    rateEstimated: isFitted ? 1 : 0,
  };
}
