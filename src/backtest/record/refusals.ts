import type { BotEvent } from "../../bot/engine/bot-event.js";
import type { Instrument } from "../../core/instrument.js";
import type { MarketId } from "../../core/units.js";
import type { MarketRules } from "../../exchange/records.js";
import type { Intent } from "../../strategies/intent.js";

/**
 * A market's own filters. The planner drops a quote that they would refuse, so no other event
 * reports it.
 */
export interface QuoteFilter {
  readonly rules: Pick<MarketRules, "minLots" | "maxOpenOrders">;
  readonly instrument: Instrument;
}

/** Refusals of one kind: their number, and the first of them. */
export interface OrderRefusal {
  readonly marketId: MarketId;
  /**
   * The bot refused a strategy's intent, one of the bot's limits an order, or the exchange an
   * order.
   */
  readonly by: "bot" | "limit" | "exchange";
  readonly reason: string;
  readonly count: number;
  /** Microseconds since 1970. */
  readonly firstUs: number;
  /** Reason of the first. */
  readonly why: string;
}

interface Counted extends OrderRefusal {
  count: number;
}

/**
 * Counts the refusals of a run. A strategy whose intents are all refused earns nothing, and no
 * other figure shows why.
 */
export class RefusalCounter {
  readonly #counted = new Map<string, Counted>();
  readonly #filters: ReadonlyMap<MarketId, QuoteFilter>;

  constructor(filters: ReadonlyMap<MarketId, QuoteFilter>) {
    this.#filters = filters;
  }

  /** Receives every event of the bot, with its time in microseconds. */
  onBotEvent(notice: BotEvent, atUs: number): void {
    switch (notice.kind) {
      case "intent-refused":
        // An intent from an older view is late, not wrong.
        if (notice.refusal !== "older-view")
          this.#count(notice.marketId, "bot", notice.refusal, notice.why, atUs);
        return;
      case "intent":
        for (const { limit, why } of notice.clips ?? [])
          this.#count(notice.intent.marketId, "limit", limit, why, atUs);
        return this.#filtered(notice.intent, atUs);
      case "held-back":
        this.#count(notice.marketId, "limit", notice.limit, notice.why, atUs);
        return;
      case "answered": {
        const { action, outcome } = notice;
        if (!("marketId" in action) || action.marketId === undefined) return;
        if (outcome.result === "rejected")
          this.#count(
            action.marketId,
            "exchange",
            `${action.kind}: ${outcome.codeText}`,
            outcome.message,
            atUs,
          );
        else if (outcome.result === "throttled")
          this.#count(
            action.marketId,
            "exchange",
            `${action.kind}: rate limit`,
            `HTTP status ${outcome.httpStatus}`,
            atUs,
          );
        return;
      }
    }
  }

  /** The most frequent first. */
  get list(): readonly OrderRefusal[] {
    return [...this.#counted.values()]
      .map((counted) => ({ ...counted }))
      .sort((a, b) => b.count - a.count);
  }

  #filtered(intent: Intent, atUs: number): void {
    const filter = this.#filters.get(intent.marketId);
    if (intent.kind !== "quotes" || filter === undefined) return;
    const { marketId, quotes } = intent;
    const { instrument, rules } = filter;
    for (const { side, level, lots } of quotes) {
      if (lots >= rules.minLots) continue;
      const why = `quote ${side} ${level}: ${instrument.formatAmount(lots)} base, below the market's smallest order of ${instrument.formatAmount(rules.minLots)}`;
      this.#count(marketId, "limit", "least-amount", why, atUs);
    }
    if (quotes.length > rules.maxOpenOrders) {
      this.#count(
        marketId,
        "limit",
        "market-orders",
        `${quotes.length} quotes, above the market's limit of ${rules.maxOpenOrders} open orders`,
        atUs,
      );
    }
  }

  #count(
    marketId: MarketId,
    by: OrderRefusal["by"],
    reason: string,
    why: string,
    atUs: number,
  ): void {
    const key = `${marketId} ${by} ${reason}`;
    const known = this.#counted.get(key);
    if (known === undefined)
      this.#counted.set(key, { marketId, by, reason, count: 1, firstUs: atUs, why });
    else known.count += 1;
  }
}
