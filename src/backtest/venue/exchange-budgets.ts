import { RateBudget } from "../../core/rate-budget.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Action, Outcome } from "../../exchange/venue.js";
import { type ActionCosts, type Bucket, costFor } from "../../executor/dispatch-budget.js";
import type { BudgetSample } from "../record/run-observer.js";

/** The present state of a budget. */
interface Holder {
  budget: RateBudget;
}

/** The exchange's response to a request that exceeds its budgets. */
export interface Throttled {
  /** The exhausted budget. */
  readonly bucket: Bucket;
  readonly outcome: Outcome;
}

/**
 * The token budgets of a replayed exchange, counted as it counts them: on its own clock, when a
 * request arrives.
 */
export class ExchangeBudgets {
  readonly #costs: ActionCosts;
  readonly #budgets: ReadonlyMap<string, Holder>;
  readonly #order: Holder | undefined;
  readonly #common: Holder | undefined;

  /** @param costs of each action. */
  constructor(rateLimits: VenueRules["rateLimits"], costs: ActionCosts) {
    this.#costs = costs;
    this.#budgets = new Map(
      rateLimits.map(({ name, limit, intervalMs }) => [
        name,
        { budget: RateBudget.create(limit, intervalMs) },
      ]),
    );
    this.#order = this.#budgets.get("ORDER");
    this.#common = this.#budgets.get("COMMON");
  }

  /**
   * Charges a request's tokens; undefined when it is within its budgets. Otherwise returns a 429
   * and charges nothing.
   */
  charge(action: Action, atUs: number): Throttled | undefined {
    const nowMs = atUs / 1000;
    const costs = costFor(this.#costs, action.kind);
    const order = this.#order;
    const common = this.#common;
    const throttled =
      throttledBy("ORDER", order, costs.ORDER, nowMs) ??
      throttledBy("COMMON", common, costs.COMMON, nowMs);
    if (throttled !== undefined) return throttled;
    if (order !== undefined) order.budget = order.budget.charge(nowMs, costs.ORDER);
    if (common !== undefined) common.budget = common.budget.charge(nowMs, costs.COMMON);
    return undefined;
  }

  /** The present state of all budgets. */
  samples(atUs: number): BudgetSample[] {
    const samples: BudgetSample[] = [];
    for (const [name, { budget }] of this.#budgets)
      samples.push({ name, usedTokens: budget.spent(atUs / 1000), limitTokens: budget.limit });
    return samples;
  }
}

/**
 * A 429, where a budget has too few tokens. A budget that the exchange does not have never refuses.
 */
function throttledBy(
  bucket: Bucket,
  holder: Holder | undefined,
  tokens: number,
  nowMs: number,
): Throttled | undefined {
  if (holder === undefined || holder.budget.available(nowMs) >= tokens) return undefined;
  const retryAfterMs = Math.ceil(holder.budget.earliestMs(nowMs, tokens) - nowMs);
  return { bucket, outcome: { result: "throttled", httpStatus: 429, retryAfterMs } };
}
