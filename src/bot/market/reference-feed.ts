import type { MarketId } from "../../core/units.js";
import type { VenueEvent } from "../../exchange/venue.js";
import type { ReferenceUpdate } from "../../reference/reference-update.js";
import type { BotContext } from "../engine/context.js";

/**
 * Applies reference prices to the markets that use them: those of sources outside, which are inputs
 * of their own, and the exchange's index price, which its market stream brings.
 */
export class ReferenceFeed {
  readonly #context: BotContext;
  /** Names of the sources that are the index price of a market. */
  readonly #indexSources = new Map<MarketId, readonly string[]>();
  readonly #creditsPerQuote: number;

  constructor(context: BotContext) {
    this.#context = context;
    this.#creditsPerQuote = 10 ** context.rules.creditDecimals;
    for (const [name, { index }] of Object.entries(context.config.references ?? {}))
      if (index !== undefined)
        this.#indexSources.set(index, [...(this.#indexSources.get(index) ?? []), name]);
  }

  /** Applies one message of a source. */
  take(update: ReferenceUpdate): void {
    const nowMs = this.#context.clock.monotonicMs();
    for (const { reference } of this.#context.traderList) reference?.price.note(update, nowMs);
  }

  /** Applies the index price of a market event. */
  onMarketState({ marketId, index }: Extract<VenueEvent, { type: "market-state" }>): void {
    const sources = this.#indexSources.get(marketId);
    if (sources === undefined) return;
    const price = Number(index) / this.#creditsPerQuote;
    for (const source of sources)
      this.take({ type: "price", source, bid: price, ask: price, heldMs: 0 });
  }

  /** The market stream went down: no index price arrives. */
  onMarketStreamDown(reason: string): void {
    for (const sources of this.#indexSources.values())
      for (const source of sources) this.take({ type: "down", source, reason });
  }
}
