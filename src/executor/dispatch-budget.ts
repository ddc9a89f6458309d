import type { RateBudget } from "../core/rate-budget.js";
import type { Ms } from "../core/units.js";
import { RATE_BUCKETS, type RateBuckets } from "../exchange/rate-buckets.js";
import type { Action } from "../exchange/venue.js";

/** The exchange's buckets (docs/reference/protocol.md#rate-limits). */
export type Bucket = "ORDER" | "COMMON";

/** What can be dispatched. */
export type DispatchKind = Action["kind"];

/** One rate budget a bucket, as the exchange's `rateLimits` state them. */
export type DispatchBudgets = Readonly<Record<Bucket, RateBudget>>;

/** What must stay in the buckets for what is more urgent than the action that asks. */
export interface DispatchReserves {
  /** Orders that may still fill, over all markets: each may yet need its cancel. An order that waits to be placed is not one of them. */
  readonly ordersThatMayFill: number;
  /** Markets of the bot: one last token each, for its cancel-all. */
  readonly markets: number;
  /** The share of the guard, another process on the same account: never touched by the bot. */
  readonly guard: Readonly<Record<Bucket, number>>;
  /** COMMON tokens that places and builds leave for questions, so that trading cannot stop a reconciliation. */
  readonly queryReserve: number;
}

/** Whether an action may leave, and if not, which bucket lacks what, and when asking again makes sense. */
export type DispatchDecision =
  | { readonly isAllowed: true }
  | {
      readonly isAllowed: false;
      readonly bucket: Bucket;
      readonly available: number;
      readonly needed: number;
      readonly retryAtMs: Ms;
    };

const BUCKETS: readonly Bucket[] = ["ORDER", "COMMON"];

/** What each action costs in each bucket. */
export type ActionCosts = Readonly<Record<DispatchKind, Readonly<Record<Bucket, number>>>>;

/** What actions cost by the one table of what counts against which limit. Every question is a read, and counts as any other. */
export function computeActionCosts(table: RateBuckets): ActionCosts {
  const of = (operation: keyof RateBuckets): Readonly<Record<Bucket, number>> => ({
    ORDER: table[operation].includes("ORDER") ? 1 : 0,
    COMMON: table[operation].includes("COMMON") ? 1 : 0,
  });
  return {
    build: of("buildOrder"),
    place: of("placeOrder"),
    cancel: of("cancelOrder"),
    "cancel-all": of("cancelAllOpenOrders"),
    question: of("openOrders"),
  };
}

/** The costs where what builds, places or cancels counts against both limits. */
export const ACTION_COST: ActionCosts = computeActionCosts(RATE_BUCKETS);

/**
 * What must be left in a bucket after an action of this kind.
 *
 * cancel-all leaves the guard's share; a cancel also one token a market; a question also the cancel of every order that may still fill;
 * a place also what questions need, and the cancel of the order that it makes; a build also the place that follows it.
 */
export function requiredAfter(
  kind: DispatchKind,
  bucket: Bucket,
  reserves: DispatchReserves,
  costs: ActionCosts = ACTION_COST,
): number {
  const { guard, markets, ordersThatMayFill, queryReserve: questions } = reserves;
  if (kind === "cancel-all") return pickBucket(guard, bucket);
  const lastTokens = pickBucket(guard, bucket) + markets * pickBucket(costs["cancel-all"], bucket);
  if (kind === "cancel") return lastTokens;
  const ownCancel = pickBucket(costs.cancel, bucket);
  const cancels = lastTokens + ordersThatMayFill * ownCancel;
  if (kind === "question") return cancels;
  const ownPlace = kind === "build" ? pickBucket(costs.place, bucket) : 0;
  return cancels + (bucket === "COMMON" ? questions : 0) + ownCancel + ownPlace;
}

/**
 * Whether an action may be dispatched at `nowMs` (of the clock that the budgets are counted in)
 * without taking a token that something more urgent may need: a place never starves a cancel, nor a
 * cancel the last cancel-all (docs/ideas/design.md#executor).
 */
export function mayDispatch(
  budgets: DispatchBudgets,
  kind: DispatchKind,
  reserves: DispatchReserves,
  nowMs: Ms,
  costs: ActionCosts = ACTION_COST,
): DispatchDecision {
  const costsOfKind = costFor(costs, kind);
  for (const bucket of BUCKETS) {
    const cost = pickBucket(costsOfKind, bucket);
    if (cost === 0) continue;
    const budget = pickBucket(budgets, bucket);
    const needed = cost + requiredAfter(kind, bucket, reserves, costs);
    const available = budget.available(nowMs);
    if (available < needed)
      return {
        isAllowed: false,
        bucket,
        available,
        needed,
        retryAtMs: budget.earliestMs(nowMs, needed),
      };
  }
  return ALLOWED;
}

const ALLOWED: DispatchDecision = { isAllowed: true };

/** What an action of a kind costs. Each by its name, as {@link pickBucket} does. */
export function costFor(costs: ActionCosts, kind: DispatchKind): Readonly<Record<Bucket, number>> {
  switch (kind) {
    case "place":
      return costs.place;
    case "cancel":
      return costs.cancel;
    case "question":
      return costs.question;
    case "build":
      return costs.build;
    case "cancel-all":
      return costs["cancel-all"];
  }
}

/** By name: a key that is one of two is looked up far more slowly, and every action asks a dozen times. */
export function pickBucket<T>({ ORDER, COMMON }: Readonly<Record<Bucket, T>>, bucket: Bucket): T {
  return bucket === "ORDER" ? ORDER : COMMON;
}

/**
 * The budgets after an action was dispatched at `nowMs`.
 * @throws MarketwrightError when a bucket does not hold its cost: whoever dispatches asks {@link mayDispatch} first.
 */
export function spendTokens(
  budgets: DispatchBudgets,
  kind: DispatchKind,
  nowMs: Ms,
  costs: ActionCosts = ACTION_COST,
): DispatchBudgets {
  const { ORDER, COMMON } = costFor(costs, kind);
  return { ORDER: budgets.ORDER.spend(nowMs, ORDER), COMMON: budgets.COMMON.spend(nowMs, COMMON) };
}

/** The budgets after a 429 or 418: nothing is available in either bucket before `untilMs`, since the answer does not say which one it was. */
export function blockBudgets(budgets: DispatchBudgets, untilMs: Ms): DispatchBudgets {
  return {
    ORDER: budgets.ORDER.throttledUntil(untilMs),
    COMMON: budgets.COMMON.throttledUntil(untilMs),
  };
}
