import type { Ms } from "#core/units.js";
import type { HttpRequest } from "#exchange/transport.js";
import type { Action } from "#exchange/venue.js";
import type { SeedPlan } from "./seed-plan.js";
import type { Violate } from "./violation.js";

/** Share of the exchange's tokens that is reserved for the guard. */
const GUARD_FRACTION = 0.1;

/** Checks that the bot and its guard stay within their shares of the tokens in every window. */
export class BudgetWitness {
  readonly #limits: SeedPlan["exchange"]["rateLimits"];
  readonly #nowMs: () => Ms;
  readonly #violate: Violate;
  readonly #orders: Ms[] = [];
  readonly #requests: Ms[] = [];
  readonly #guards: Ms[] = [];

  constructor(plan: SeedPlan, nowMs: () => Ms, violate: Violate) {
    this.#limits = plan.exchange.rateLimits;
    this.#nowMs = nowMs;
    this.#violate = violate;
  }

  botSpends(action: Action): void {
    const { order, common } = this.#limits;
    const spend = (spends: Ms[], bucket: "ORDER" | "COMMON", limit: number): void => {
      const count = this.#countSpend(spends);
      const share = limit - Math.ceil(limit * GUARD_FRACTION);
      if (count > share)
        this.#violate(
          "budget",
          `${count} ${bucket} actions in a window, the bot's share is ${share}`,
        );
    };
    if (action.kind !== "question") spend(this.#orders, "ORDER", order);
    spend(this.#requests, "COMMON", common);
  }

  /** The exchange never saw a request that the bot has just sent, and has not counted it. */
  botRefused({ method }: HttpRequest): void {
    const nowMs = this.#nowMs();
    // Reads outside the bot's actions are not counted.
    if (this.#requests.at(-1) !== nowMs) return;
    this.#requests.pop();
    if (method !== "GET" && this.#orders.at(-1) === nowMs) this.#orders.pop();
  }

  /** Counts a cancel of the guard, which has its own share of the tokens. */
  guardSpends(): void {
    const count = this.#countSpend(this.#guards);
    const share = Math.floor(this.#limits.order * GUARD_FRACTION);
    if (count > share)
      this.#violate("budget", `${count} actions of the guard in a window, its share is ${share}`);
  }

  /** Adds one now. @returns the number in the window, with this one. */
  #countSpend(spends: Ms[]): number {
    const nowMs = this.#nowMs();
    spends.push(nowMs);
    while (spends[0] !== undefined && spends[0] <= nowMs - this.#limits.intervalMs) spends.shift();
    return spends.length;
  }
}
