import type { BotEvent } from "../../bot/engine/bot-event.js";
import type { MarketId } from "../../core/units.js";

/** The first error of a market's strategy, which halted the market. */
export interface StrategyError {
  readonly marketId: MarketId;
  /** Microseconds since 1970. */
  readonly atUs: number;
  readonly why: string;
}

/** Collects the errors of a run's strategies: a run with one says nothing of the strategy that was meant. */
export class StrategyErrors {
  readonly #first = new Map<MarketId, StrategyError>();

  /** Takes whatever the bot tells, with its instant in microseconds. */
  onBotEvent(notice: BotEvent, atUs: number): void {
    if (notice.kind !== "strategy-failed" || this.#first.has(notice.marketId)) return;
    this.#first.set(notice.marketId, { marketId: notice.marketId, atUs, why: notice.why });
  }

  /** The first of each market. */
  get list(): readonly StrategyError[] {
    return [...this.#first.values()];
  }
}
