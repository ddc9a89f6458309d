import type { Ms } from "#core/units.js";
import type { Action } from "#exchange/venue.js";
import type { SeedPlan } from "./seed-plan.js";
import type { Violate } from "./violation.js";

/** Of the exchange's tokens, what is the guard's alone. */
const GUARD_FRACTION = 0.1;

/** Holds the bot and its guard to their shares of the exchange's tokens, in every window. */
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
      const count = this.#counted(spends);
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

  /** The guard cancels: it has its own share of the tokens, and no more. */
  guardSpends(): void {
    const count = this.#counted(this.#guards);
    const share = Math.floor(this.#limits.order * GUARD_FRACTION);
    if (count > share)
      this.#violate("budget", `${count} actions of the guard in a window, its share is ${share}`);
  }

  /** One more now. @returns how many the window holds with it. */
  #counted(spends: Ms[]): number {
    const nowMs = this.#nowMs();
    spends.push(nowMs);
    while (spends[0] !== undefined && spends[0] <= nowMs - this.#limits.intervalMs) spends.shift();
    return spends.length;
  }
}
