import type { Bot } from "#bot/bot.js";
import type { Hex, Ms } from "#core/units.js";
import type { SeedPlan } from "./seed-plan.js";
import type { Violate } from "./violation.js";

/** Longest time that the queries of one reconciliation take without faults. */
const ANSWER_MS = 1_000;

/**
 * Checks that the bot determines what became of its orders: none may stay unknown while the bot can
 * query the exchange.
 */
export class FateWitness {
  readonly #allowedMs: Ms;
  readonly #violate: Violate;
  readonly #unknownSince = new Map<Hex, Ms>();

  constructor({ bot }: SeedPlan, violate: Violate) {
    this.#allowedMs = bot.exchange.reconcileMs + bot.exchange.signatureWindowMs + ANSWER_MS;
    this.#violate = violate;
  }

  /** Starts checking another bot, or none. */
  begin(): void {
    this.#unknownSince.clear();
  }

  /** @param disturbedAtMs when a fault last kept the bot from querying the exchange */
  check(bot: Bot, nowMs: Ms, disturbedAtMs: Ms): void {
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
