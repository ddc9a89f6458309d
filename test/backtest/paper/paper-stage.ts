import { Subject } from "rxjs";
import { onTestFinished } from "vitest";
import { readVenueRules } from "#backtest/backtest-rules.js";
import { type PaperModels, PaperVenue } from "#backtest/paper-venue.js";
import type { BotConfig } from "#bot/config.js";
import { botSchema } from "#bot/config-schema.js";
import type { Hex, MarketId, Side } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { MarketRules, TimeInForce, VenueOrder, VenueRules } from "#exchange/records.js";
import type { Action, Outcome, PlaceAction, VenueEvent } from "#exchange/venue.js";

export const START = Date.UTC(2026, 0, 5, 12);
/** Lead of the exchange's clock over this machine's. */
export const AHEAD_MS = 700;
export const FEED_MS = 3;
export const MARKETS = ["btcusdc", "ethusdc"] as const;
const MODELS: PaperModels = {
  queue: "risk-averse",
  orderLatencyMs: 20,
  responseLatencyMs: 10,
  creditQuote: "100000",
};
const GRID = {
  tickSizeQuote: "0.1",
  stepSizeBase: "0.001",
  makerFeeRate: "0.0001",
  takerFeeRate: "0.0005",
};

/**
 * A paper venue over a live market driven by a test, and the events that the bot received, timed
 * from the start.
 */
export class PaperStage {
  readonly clock = new VirtualClock(START);
  readonly live = new Subject<VenueEvent>();
  readonly asked: Action[] = [];
  readonly heard: { readonly atMs: number; readonly event: VenueEvent }[] = [];
  readonly venue: PaperVenue;
  readonly #rules: VenueRules;
  #sequence = 1;
  #ids = 0;

  /** @param agreed fee rates that the bot signs. */
  constructor(
    agreed: { readonly makerFeeRate?: string; readonly takerFeeRate?: string } = {},
    models: Partial<PaperModels> = {},
  ) {
    const config = botSchema.parse({
      exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1", ...agreed },
      account: { keyEnv: "KEY" },
      quotes: { timeInForce: "POST_ONLY" },
      markets: Object.fromEntries(
        MARKETS.map((id) => [
          id,
          { strategy: "ladder", params: {}, limits: { maxPositionBase: "1", maxOrderBase: "0.1" } },
        ]),
      ),
      risk: { maxDrawdownQuote: "1000" },
    }) as unknown as BotConfig;
    const market = { ...GRID, maxLeverage: 20, liquidationThreshold: 0.03, maxOpenOrders: 200 };
    this.#rules = readVenueRules(
      {
        markets: { btcusdc: market, ethusdc: market },
        liquidationPriceOff: 0.01,
        insuranceFeeRate: 0.01,
      },
      MARKETS,
      "/",
    );
    this.venue = new PaperVenue({
      live: {
        events$: this.live,
        submit: (action) => this.asked.push(action),
        resubscribe: () => {},
        close: () => {},
      },
      config,
      rules: this.#rules,
      models: { ...MODELS, ...models },
      clock: this.clock,
      levelFor: () => 0,
      exchangeNowMs: () => this.clock.nowMs() + AHEAD_MS,
    });
    this.venue.events$.subscribe((event) =>
      this.heard.push({ atMs: this.clock.nowMs() - START, event }),
    );
    onTestFinished(() => this.venue.close());
    this.live.next({ type: "stream", stream: "market", state: "up", reason: "subscribed" });
    for (const marketId of MARKETS) {
      this.trade(marketId, "BUY", 600_001, 1);
      this.live.next({
        type: "book-snapshot",
        marketId,
        sequence: 1,
        bids: [600_000, 5, 599_990, 5],
        asks: [600_001, 5, 600_010, 5],
      });
    }
  }

  /** A trade as the exchange stamped it, a feed's delay ago. */
  trade(marketId: MarketId, taker: Side, ticks: number, lots: number): void {
    const timeMs = this.clock.nowMs() + AHEAD_MS - FEED_MS;
    this.#ids += 1;
    this.live.next({
      type: "public-trade",
      marketId,
      id: String(this.#ids),
      ticks,
      lots,
      timeMs,
      isBuyerMaker: taker === "SELL",
    });
  }

  book(marketId: MarketId, bids: readonly number[], asks: readonly number[]): void {
    this.#sequence += 1;
    this.live.next({
      type: "book-update",
      marketId,
      beginSequence: this.#sequence,
      endSequence: this.#sequence,
      bids,
      asks,
    });
  }

  mark(marketId: MarketId, markQuote: number, fundingRate: number, nextFundingMs: number): void {
    const mark = BigInt(markQuote) * 1_000_000n;
    this.live.next({
      type: "market-state",
      marketId,
      mark,
      index: mark,
      fundingRate,
      nextFundingMs,
    });
  }

  /** The bot reads the rules again, and those of a market have changed. */
  rulesRead(marketId: MarketId, change: Partial<MarketRules>): void {
    const { markets } = this.#rules;
    const data = {
      ...this.#rules,
      markets: { ...markets, [marketId]: { ...(markets[marketId] as MarketRules), ...change } },
    };
    this.live.next({
      type: "answer",
      actionId: 0,
      outcome: { result: "answered", ask: "rules", data },
    });
  }

  /**
   * The bot reads the rules again, and a market is missing.
   * @param unread reason, where it is listed but unreadable.
   */
  rulesWithout(marketId: MarketId, unread?: string): void {
    const { [marketId]: _missing, ...markets } = this.#rules.markets;
    const data = {
      ...this.#rules,
      markets,
      ...(unread !== undefined && { unread: { [marketId]: unread } }),
    };
    this.live.next({
      type: "answer",
      actionId: 0,
      outcome: { result: "answered", ask: "rules", data },
    });
  }

  place(
    marketId: MarketId,
    side: Side,
    ticks: number,
    lots: number,
    timeInForce: TimeInForce = "GTC",
    lifeMs = 0,
  ): number {
    this.#ids += 1;
    const hash: Hex = `0x${this.#ids.toString(16).padStart(64, "0")}`;
    const zero: Hex = `0x${"00".repeat(20)}`;
    const action: PlaceAction = {
      kind: "place",
      actionId: this.#ids,
      timestampMs: 0,
      marketId,
      side,
      type: "LIMIT",
      ticks,
      lots,
      timeInForce,
      expirationMs: timeInForce === "GTT" ? this.clock.nowMs() + AHEAD_MS + lifeMs : 0,
      order: { perp: zero, signer: zero, paperAmount: 0n, creditAmount: 0n, info: hash },
      hash,
    };
    this.venue.submit(action);
    return this.#ids;
  }

  /** The answer to a request, and when it was received. */
  answer(id: number): { readonly atMs: number; readonly outcome: Outcome } | undefined {
    for (const { atMs, event } of this.heard)
      if (event.type === "answer" && event.actionId === id) return { atMs, outcome: event.outcome };
    return undefined;
  }

  /** Order updates that the bot received: time, open and filled size, and status. */
  get updates(): (Pick<VenueOrder, "availableLots" | "filledLots" | "status"> & {
    readonly atMs: number;
  })[] {
    return this.heard.flatMap(({ atMs, event }) => {
      if (event.type !== "order-update") return [];
      const { availableLots, filledLots, status } = event.order;
      return [{ atMs, availableLots, filledLots, status }];
    });
  }

  /** The last position reported to the bot; 0 before. */
  positionLots(marketId: MarketId): number {
    const told = this.heard.flatMap(({ event }) =>
      event.type === "account-update" ? event.positions : [],
    );
    return told.findLast((position) => position.marketId === marketId)?.lots ?? 0;
  }

  get fills(): (readonly [
    market: MarketId,
    side: Side,
    ticks: number,
    lots: number,
    isMaker: boolean,
  ])[] {
    return this.heard.flatMap(({ event }) =>
      event.type === "trade-update"
        ? [
            [
              event.trade.marketId,
              event.trade.side,
              event.trade.ticks,
              event.trade.lots,
              event.trade.isMaker,
            ] as const,
          ]
        : [],
    );
  }
}
