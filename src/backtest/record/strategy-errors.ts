import type { BotEvent } from "../../bot/engine/bot-event.js";
import type { MarketId } from "../../core/units.js";

/** The first error of a market's strategy, which halted the market. */
export interface StrategyError {
  readonly marketId: MarketId;
  /** Microseconds since 1970. */
  readonly atUs: number;
  readonly why: string;
}

/**
 * Collects the errors of a run's strategies: a run with an error says nothing about the intended
 * strategy.
 */
export class StrategyErrors {
  readonly #first = new Map<MarketId, StrategyError>();

  /** Receives every event of the bot, with its time in microseconds. */
  onBotEvent(notice: BotEvent, atUs: number): void {
    if (notice.kind !== "strategy-failed" || this.#first.has(notice.marketId)) return;
    this.#first.set(notice.marketId, { marketId: notice.marketId, atUs, why: notice.why });
  }

  /** The first of each market. */
  get list(): readonly StrategyError[] {
    return [...this.#first.values()];
  }
}
