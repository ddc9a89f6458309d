import { RateBudget } from "../../core/rate-budget.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Action, Outcome } from "../../exchange/venue.js";
import { type ActionCosts, type Bucket, costFor } from "../../executor/dispatch-budget.js";
import type { BudgetSample } from "../record/run-observer.js";

/** A budget as it stands. */
interface Holder {
  budget: RateBudget;
}

/** What the replayed exchange does with a request that its budgets do not cover. */
export interface Throttled {
  /** The budget that was spent. */
  readonly bucket: Bucket;
  readonly outcome: Outcome;
}

/** The token budgets of a replayed exchange, counted as it counts them: on its own clock, when a request arrives. */
export class ExchangeBudgets {
  readonly #costs: ActionCosts;
  readonly #budgets: ReadonlyMap<string, Holder>;
  readonly #order: Holder | undefined;
  readonly #common: Holder | undefined;

  /** @param costs what each action costs. */
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

  /** Takes a request's tokens. A 429, with nothing taken, where they are not there; undefined when it is within its budgets. */
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

  /** All of them as they stand. */
  samples(atUs: number): BudgetSample[] {
    const samples: BudgetSample[] = [];
    for (const [name, { budget }] of this.#budgets)
      samples.push({ name, usedTokens: budget.spent(atUs / 1000), limitTokens: budget.limit });
    return samples;
  }
}

/** A 429, where a budget does not hold so many tokens; one that the exchange does not have refuses nothing. */
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
