import type { Hex, Lots, MarketId, Ms } from "../../src/core/units.js";
import type { EmbeddedExchange } from "../../src/simulator/exchange.js";
import type { SeedPlan } from "./seed-plan.js";

/** For how long what nobody could foresee may still be worked off. */
const SURPRISE_MS = 60_000;

/** Position that came without the bot's own orders, by hand, or was taken back by a failed settlement, lately: the bot cannot have counted with it. */
export class Surprises {
  readonly #plan: SeedPlan;
  readonly #exchange: EmbeddedExchange;
  readonly #address: Hex;
  readonly #nowMs: () => Ms;
  readonly #byHand: { readonly atMs: Ms; readonly marketId: MarketId; readonly lots: Lots }[] = [];

  constructor(plan: SeedPlan, exchange: EmbeddedExchange, address: Hex, nowMs: () => Ms) {
    this.#plan = plan;
    this.#exchange = exchange;
    this.#address = address;
    this.#nowMs = nowMs;
  }

  /** Lots that somebody else's doing adds to or takes from the position. */
  add(marketId: MarketId, lots: Lots): void {
    this.#byHand.push({ atMs: this.#nowMs(), marketId, lots: Math.abs(lots) });
  }

  /** How many lots of a market may not have been worked off yet. */
  lots(marketId: MarketId): Lots {
    return this.#byHandLots(marketId) + this.#failedLots(marketId);
  }

  #byHandLots(marketId: MarketId): Lots {
    const since = this.#nowMs() - 2 * this.#plan.bot.exchange.reconcileMs - SURPRISE_MS;
    return this.#byHand
      .filter((surprise) => surprise.marketId === marketId && surprise.atMs >= since)
      .reduce((sum, { lots }) => sum + lots, 0);
  }

  /** Lots of settlements that failed lately: the bot cannot know of one before it is told, and then only reduces. */
  #failedLots(marketId: MarketId): Lots {
    const { settlement, choices } = this.#plan.exchange;
    const market = this.#exchange.account(this.#address)?.markets.get(marketId);
    const trades = market?.trades.page({ startMs: this.#nowMs() - settlement.delayMs - SURPRISE_MS, limit: 500 }) ?? [];
    return trades.filter(({ trade }) => trade.status === choices.failedTradeStatus).reduce((sum, { trade }) => sum + trade.lots, 0);
  }
}
