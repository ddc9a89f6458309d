import type { CreditUnits, Lots, Ticks } from "../../core/units.js";
import type { LayOffTerms } from "../../liquidator/plan/lay-off-terms.js";
import {
  type UnwindCosts,
  UnwindEstimator,
  type UnwindMarket,
} from "../../liquidator/plan/unwind-estimate.js";
import type { Level } from "../../market/book/readable-book.js";
import type { UnwindConfig } from "../config/fields/unwind-fields.js";

/**
 * How an acquired position is unwound in a market with a hedge. `here`: sold on this exchange, and
 * not hedged meanwhile. `hedge`: laid off at the hedge venue, and a part of the market's own
 * position from then on. `both`: sold here, and hedged until it is sold, since the costs of laying
 * it off are not known.
 */
export type UnwindWay = "here" | "hedge" | "both";

/** The decision about one takeover, and the costs of both ways against its value. */
export interface UnwindDecision {
  readonly way: UnwindWay;
  /** Name of the hedge venue in the config. */
  readonly venue: string;
  /** Reason, as a phrase. */
  readonly why: string;
  /** Cost of taking through the book here, with the taker fee; undefined if it is not known. */
  readonly hereCost?: CreditUnits;
  /** Half a spread and the taker fee at the hedge venue; undefined if it is not known. */
  readonly layOffCost?: CreditUnits;
}

/** Everything that the decision about an acquired position depends on. */
export interface UnwindSituation {
  readonly layOff: UnwindConfig["layOff"];
  readonly venue: string;
  /** Terms of the hedge venue, or why it cannot be valued. */
  readonly terms: LayOffTerms | string;
  /** Without the venue's terms; undefined before the first mark. */
  readonly market: UnwindMarket | undefined;
  /** Signed lots that wait for their hedge at the venue, without these. */
  readonly pendingLayOffLots: Lots;
  /** Signed lots to unwind. */
  readonly lots: Lots;
  /** Limit price of every order that sells it here. */
  readonly worstTicks: Ticks;
}

/** A decision, and the value of the lots, by which they are laid off. */
export interface DecidedUnwind {
  readonly decision: UnwindDecision;
  readonly heldCredit: CreditUnits | undefined;
}

/**
 * Decides between selling an acquired position here and laying it off: the cheaper way, unless the
 * file names one. While the hedge venue cannot be valued it is sold here and hedged meanwhile.
 */
export function decideUnwind(situation: UnwindSituation): DecidedUnwind {
  const { layOff, venue, terms } = situation;
  const { heldCredit, hereCost, layOffCost } = costsIn(situation);
  const decided = (way: UnwindWay, why: string): DecidedUnwind => ({
    decision: {
      way,
      venue,
      why,
      ...(hereCost === undefined ? {} : { hereCost }),
      ...(layOffCost === undefined ? {} : { layOffCost }),
    },
    heldCredit,
  });
  if (layOff === "here") return decided("here", "liquidator.unwind.layOff is here");
  if (typeof terms === "string") return decided("both", terms);
  if (heldCredit === undefined) return decided("both", "the book here has no mid, or no mark");
  if (layOffCost === undefined) return decided("both", sizeReason(venue, terms, situation.lots));
  if (layOff === "hedge") return decided("hedge", "liquidator.unwind.layOff is hedge");
  if (hereCost === undefined) return decided("hedge", "the book here is too thin");
  return layOffCost < hereCost
    ? decided("hedge", "laying it off is cheaper")
    : decided("here", "selling it here is not dearer");
}

function costsIn(situation: UnwindSituation): UnwindCosts {
  const { terms, market, pendingLayOffLots, lots, worstTicks } = situation;
  if (market === undefined)
    return { heldCredit: undefined, hereCost: undefined, layOffCost: undefined };
  const within = (levels: readonly Level[]): readonly Level[] =>
    withinBound(levels, lots, worstTicks);
  return new UnwindEstimator(
    {
      ...market,
      pendingLayOffLots,
      ...(lots > 0 ? { bids: within(market.bids) } : { asks: within(market.asks) }),
      layOff: typeof terms === "string" ? undefined : terms,
    },
    0n,
    lots > 0 ? 1n : -1n,
    { unwindReserveBps: 0, makerShareBps: 0 },
  ).costs(Math.abs(lots));
}

/** The levels within the price bound; lots beyond them count at the bound. */
function withinBound(levels: readonly Level[], lots: Lots, worstTicks: Ticks): readonly Level[] {
  const isWithin = ({ ticks }: Level): boolean =>
    lots > 0 ? ticks >= worstTicks : ticks <= worstTicks;
  const inside = levels.filter(isWithin);
  if (inside.length === 0) return levels;
  return [...inside, { ticks: worstTicks, lots: Number.MAX_SAFE_INTEGER }];
}

function sizeReason(venue: string, { leastLots }: LayOffTerms, lots: Lots): string {
  return Math.abs(lots) < leastLots
    ? `it is less than the smallest hedge at ${venue}`
    : `the margin at ${venue} is too small for its hedge`;
}
