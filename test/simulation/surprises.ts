import type { Lots, MarketId, Ms } from "#core/units.js";
import type { SeedPlan } from "./seed-plan.js";

/** The time in which an unforeseeable position may still be worked off. */
const SURPRISE_MS = 60_000;

/**
 * Position that lately came without the bot's own orders, by hand: the bot cannot have expected it.
 * A failed trade does not count.
 */
export class Surprises {
  readonly #plan: SeedPlan;
  readonly #nowMs: () => Ms;
  readonly #byHand: { readonly atMs: Ms; readonly marketId: MarketId; readonly lots: Lots }[] = [];

  constructor(plan: SeedPlan, nowMs: () => Ms) {
    this.#plan = plan;
    this.#nowMs = nowMs;
  }

  /** Adds lots that another party adds to or takes from the position. */
  add(marketId: MarketId, lots: Lots): void {
    this.#byHand.push({ atMs: this.#nowMs(), marketId, lots: Math.abs(lots) });
  }

  /** How many lots of a market may not have been worked off yet. */
  lots(marketId: MarketId): Lots {
    const since = this.#nowMs() - 2 * this.#plan.bot.exchange.reconcileMs - SURPRISE_MS;
    return this.#byHand
      .filter((surprise) => surprise.marketId === marketId && surprise.atMs >= since)
      .reduce((sum, { lots }) => sum + lots, 0);
  }
}
