import { RateBudget } from "../../core/rate-budget.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Action, Outcome } from "../../exchange/venue.js";
import type { ActionCosts, Bucket } from "../../executor/dispatch-budget.js";
import type { BudgetSample } from "../record/run-observer.js";

const BUCKETS: readonly Bucket[] = ["ORDER", "COMMON"];

/** What the replayed exchange does with a request that its budgets do not cover. */
export interface Throttled {
  /** The budget that was spent. */
  readonly bucket: Bucket;
  readonly outcome: Outcome;
}

/** The token budgets of a replayed exchange, counted as it counts them: on its own clock, when a request arrives. */
export class ExchangeBudgets {
  readonly #costs: ActionCosts;
  readonly #budgets: ReadonlyMap<string, { budget: RateBudget }>;

  /** @param costs what each action costs. */
  constructor(rateLimits: VenueRules["rateLimits"], costs: ActionCosts) {
    this.#costs = costs;
    this.#budgets = new Map(rateLimits.map(({ name, limit, intervalMs }) => [name, { budget: RateBudget.create(limit, intervalMs) }]));
  }

  /** Takes a request's tokens. A 429, with nothing taken, where they are not there; undefined when it is within its budgets. */
  charge(action: Action, atUs: number): Throttled | undefined {
    const nowMs = atUs / 1000;
    const costs = this.#costs[action.kind];
    for (const bucket of BUCKETS) {
      const budget = this.#budgets.get(bucket)?.budget;
      if (budget === undefined || budget.available(nowMs) >= costs[bucket]) continue;
      const retryAfterMs = Math.ceil(budget.earliestMs(nowMs, costs[bucket]) - nowMs);
      return { bucket, outcome: { result: "throttled", httpStatus: 429, retryAfterMs } };
    }
    for (const bucket of BUCKETS) {
      // Whether they are there was asked above.
      const held = this.#budgets.get(bucket);
      if (held !== undefined) held.budget = held.budget.charge(nowMs, costs[bucket]);
    }
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
