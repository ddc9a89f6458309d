import type { RateBudget } from "../core/rate-budget.js";
import type { Ms } from "../core/units.js";
import { RATE_BUCKETS, type RateBuckets } from "../exchange/rate-buckets.js";
import type { Action } from "../exchange/venue.js";

/** The exchange's rate-limit buckets (docs/reference/protocol.md#rate-limits). */
export type Bucket = "ORDER" | "COMMON";

/** The kinds of actions that can be dispatched. */
export type DispatchKind = Action["kind"];

/** One rate budget per bucket, from the exchange's `rateLimits`. */
export type DispatchBudgets = Readonly<Record<Bucket, RateBudget>>;

/** Tokens that must stay in the buckets for more urgent actions. */
export interface DispatchReserves {
  /**
   * Number of orders that may still fill, over all markets: each may need a cancel. An order that
   * waits to be placed is not counted.
   */
  readonly ordersThatMayFill: number;
  /** Number of the bot's markets: one last token each, for its cancel-all. */
  readonly markets: number;
  /** Guard reserve for the guard, another process on the same account. The bot never uses it. */
  readonly guard: Readonly<Record<Bucket, number>>;
  /**
   * COMMON tokens that places and builds leave for queries, so that trading cannot stop a
   * reconciliation.
   */
  readonly queryReserve: number;
}

/**
 * The decision on an action. If it may not be sent: which bucket lacks tokens, and when to check
 * again.
 */
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

/** Cost of each action in each bucket. */
export type ActionCosts = Readonly<Record<DispatchKind, Readonly<Record<Bucket, number>>>>;

/**
 * Computes the costs of actions from the table of requests and limits. Every query is a read and
 * counts like any other.
 */
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

/** The costs if building, placing and cancelling count against both limits. */
export const ACTION_COST: ActionCosts = computeActionCosts(RATE_BUCKETS);

/**
 * Tokens that must remain in a bucket after an action of this kind.
 *
 * A cancel-all leaves the guard reserve. A cancel also leaves one token per market. A query also
 * leaves a cancel for every order that may still fill. A place also leaves the reserve of queries
 * and the cancel of its own order. A build also leaves the place that follows it.
 */
export function requiredAfter(
  kind: DispatchKind,
  bucket: Bucket,
  reserves: DispatchReserves,
  costs: ActionCosts = ACTION_COST,
): number {
  const { guard, markets, ordersThatMayFill, queryReserve } = reserves;
  if (kind === "cancel-all") return pickBucket(guard, bucket);
  const lastTokens = pickBucket(guard, bucket) + markets * pickBucket(costs["cancel-all"], bucket);
  if (kind === "cancel") return lastTokens;
  const ownCancel = pickBucket(costs.cancel, bucket);
  const cancels = lastTokens + ordersThatMayFill * ownCancel;
  if (kind === "question") return cancels;
  const ownPlace = kind === "build" ? pickBucket(costs.place, bucket) : 0;
  return cancels + (bucket === "COMMON" ? queryReserve : 0) + ownCancel + ownPlace;
}

/**
 * Decides if an action may be dispatched at `nowMs` (on the clock of the budgets) without taking a
 * token that a more urgent action may need. A place never uses the token of a cancel, nor a cancel
 * the token of the last cancel-all (docs/ideas/design.md#executor).
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

/** Cost of an action kind, looked up by a constant name as in {@link pickBucket}. */
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

/**
 * Looks up a bucket by a constant name. A computed key is far slower, and every action does a dozen
 * lookups.
 */
export function pickBucket<T>({ ORDER, COMMON }: Readonly<Record<Bucket, T>>, bucket: Bucket): T {
  return bucket === "ORDER" ? ORDER : COMMON;
}

/**
 * The budgets after an action was dispatched at `nowMs`.
 * @throws MarketwrightError when a bucket does not hold its cost: call {@link mayDispatch} first
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

/**
 * The budgets after an action that was spent at `spentAtMs` certainly never left: the exchange has
 * not counted it.
 */
export function refundTokens(
  budgets: DispatchBudgets,
  kind: DispatchKind,
  spentAtMs: Ms,
  costs: ActionCosts = ACTION_COST,
): DispatchBudgets {
  const { ORDER, COMMON } = costFor(costs, kind);
  return {
    ORDER: budgets.ORDER.refund(spentAtMs, ORDER),
    COMMON: budgets.COMMON.refund(spentAtMs, COMMON),
  };
}

/**
 * The budgets after a 429 or 418. Both buckets are empty until `untilMs`, because the response does
 * not say which one it concerns.
 */
export function blockBudgets(budgets: DispatchBudgets, untilMs: Ms): DispatchBudgets {
  return {
    ORDER: budgets.ORDER.throttledUntil(untilMs),
    COMMON: budgets.COMMON.throttledUntil(untilMs),
  };
}
