import type { Bot } from "#bot/bot.js";
import type { Hex, Ms } from "#core/units.js";
import type { SeedPlan } from "./seed-plan.js";
import type { Violate } from "./violation.js";

/** Longest that the questions of one reconciliation may take once nothing disturbs them. */
const ANSWER_MS = 1_000;

/**
 * Checks that the bot finds out the fate of its orders: none may stay unknown while the bot can
 * query it.
 */
export class FateWitness {
  readonly #allowedMs: Ms;
  readonly #violate: Violate;
  readonly #unknownSince = new Map<Hex, Ms>();

  constructor({ bot }: SeedPlan, violate: Violate) {
    this.#allowedMs = bot.exchange.reconcileMs + bot.exchange.signatureWindowMs + ANSWER_MS;
    this.#violate = violate;
  }

  /** Another bot runs from now on, or none. */
  begin(): void {
    this.#unknownSince.clear();
  }

  /** @param disturbedAtMs the last instant at which something kept the bot from asking */
  look(bot: Bot, nowMs: Ms, disturbedAtMs: Ms): void {
    const unknown = new Set<Hex>();
    for (const { marketId } of bot.context.traders.values()) {
      for (const order of bot.context.account.orders.mayStillFill(marketId))
        if (order.phase === "unknown") unknown.add(order.hash);
    }
    for (const hash of this.#unknownSince.keys())
      if (!unknown.has(hash)) this.#unknownSince.delete(hash);
    for (const hash of unknown) {
      const since = this.#unknownSince.get(hash) ?? nowMs;
      this.#unknownSince.set(hash, since);
      const waited = nowMs - Math.max(since, disturbedAtMs);
      if (waited > this.#allowedMs) {
        this.#violate(
          "resolve",
          `${hash} has been unknown for ${waited} ms of undisturbed time, allowed ${this.#allowedMs}`,
        );
        this.#unknownSince.set(hash, nowMs);
      }
    }
  }
}
