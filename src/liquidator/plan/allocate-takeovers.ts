import { absolute, ceilDivide } from "../../core/bigints.js";
import type { Hex, PaperUnits } from "../../core/units.js";
import type { PlanInput, TakeoverMarket, Victim } from "./plan-input.js";
import { planPosition, planTakeover } from "./plan-takeover.js";
import type { Refused, TakeoverDecision, TakeoverPlan, Unprofitable } from "./takeover-plan.js";

/** Takeovers planned for several victims. */
export interface Allocation {
  /** In the order in which to send them: each relies on those before it. */
  readonly plans: readonly TakeoverPlan[];
  /** For each victim without a plan, the decision that came nearest. */
  readonly others: readonly (Unprofitable | Refused)[];
}

/**
 * Shares the own margin and the books among several victims: first takeovers that free margin, then
 * by profit per unit of margin. Each plan uses the own account, the victim and the book as they
 * will be after those before it, so the plans are valid together. A victim may be taken from in
 * several markets while it stays unsafe.
 * @param most the number of plans wanted; further victims wait for the next check.
 * @throws FormatError when ether has no price.
 */
export function allocateTakeovers(
  victims: readonly Victim[],
  input: PlanInput,
  most = Number.POSITIVE_INFINITY,
): Allocation {
  const plans: TakeoverPlan[] = [];
  const states = new Map(victims.map((victim) => [victim.account, victim]));
  const others = new Map<Hex, Unprofitable | Refused>();
  const waiting: TakeoverPlan[] = [];
  const keep = (decision: TakeoverDecision): void => {
    if (decision.kind === "takeover") waiting.push(decision);
  };
  for (const victim of victims) {
    const best = planTakeover(victim, input);
    if (best.kind === "takeover")
      for (const perp of victim.margin.papers.keys()) keep(planPosition(victim, perp, input));
    else others.set(victim.account, best);
  }
  let now = input;
  while (waiting.length > 0 && plans.length < most) {
    waiting.sort(byProfitForMargin);
    const next = waiting.shift() as TakeoverPlan;
    const victim = states.get(next.victim);
    if (victim === undefined) continue;
    // Earlier plans have changed the margin, the book or the victim. The plan is made anew, and
    // waits again if it is worth less now.
    const decision = planPosition(victim, next.perp, now);
    if (decision.kind !== "takeover") {
      if (!plans.some((plan) => plan.victim === next.victim)) others.set(next.victim, decision);
      continue;
    }
    if (waiting[0] !== undefined && byProfitForMargin(decision, waiting[0]) > 0) {
      waiting.push(decision);
      continue;
    }
    plans.push(decision);
    others.delete(decision.victim);
    now = reserveForTakeover(now, decision);
    if (decision.victimAfter === undefined || decision.isCured) states.delete(decision.victim);
    else states.set(decision.victim, { ...victim, margin: decision.victimAfter });
  }
  return { plans, others: [...others.values()] };
}

/**
 * Returns the input for plans made while that takeover is in flight: its room and margin are taken,
 * its losses are set aside, and its unwind goes first.
 */
export function reserveForTakeover(
  input: PlanInput,
  { perp, requestPaper, ownAfter, reservedQuote, unwindLots }: TakeoverPlan,
): PlanInput {
  const market = input.markets.get(perp);
  const markets = new Map(input.markets);
  if (market !== undefined)
    markets.set(perp, {
      ...reserveRoom(market, requestPaper),
      pendingUnwindLots: market.pendingUnwindLots + unwindLots,
    });
  const margin = { ...ownAfter, netValueCredit: ownAfter.netValueCredit - reservedQuote };
  return { ...input, own: { ...input.own, margin }, markets };
}

/**
 * Returns the market with room taken for a takeover that may or may not succeed. Another takeover
 * cannot count on reducing it.
 */
export function reserveRoom(market: TakeoverMarket, paper: PaperUnits): TakeoverMarket {
  const { instrument, reservedLots } = market;
  const lots = Number(ceilDivide(absolute(paper), instrument.paperPerLot));
  const { buy, sell } = reservedLots;
  return {
    ...market,
    reservedLots: paper > 0n ? { buy: buy + lots, sell } : { buy, sell: sell + lots },
  };
}

function byProfitForMargin(a: TakeoverPlan, b: TakeoverPlan): number {
  const [freesA, freesB] = [a.marginUseQuote <= 0n, b.marginUseQuote <= 0n];
  if (freesA !== freesB) return freesA ? -1 : 1;
  const difference = freesA
    ? b.expected.profitQuote - a.expected.profitQuote
    : b.expected.profitQuote * a.marginUseQuote - a.expected.profitQuote * b.marginUseQuote;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
