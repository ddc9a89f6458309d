import type { Lots, MarketId, Ms } from "#core/units.js";
import type { SeedPlan } from "./seed-plan.js";

/** Time that the bot has to reduce a position that it could not foresee. */
const SURPRISE_MS = 60_000;

/**
 * Lots that manual orders added to the position lately: the bot cannot have foreseen them. Failed
 * trades do not count.
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

  /** Lots of a market that the bot may not have reduced yet. */
  lots(marketId: MarketId): Lots {
    const since = this.#nowMs() - 2 * this.#plan.bot.exchange.reconcileMs - SURPRISE_MS;
    return this.#byHand
      .filter((surprise) => surprise.marketId === marketId && surprise.atMs >= since)
      .reduce((sum, { lots }) => sum + lots, 0);
  }
}
