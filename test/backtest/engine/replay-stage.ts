import { map } from "rxjs";
import { readVenueRules } from "#backtest/backtest-rules.js";
import type { FeedFactory } from "#backtest/create-feed.js";
import type { FillOptions, MarketFillModel } from "#backtest/fill-options.js";
import { constantLatency, type LatencyModel } from "#backtest/latency.js";
import type { MarketHistory } from "#backtest/market-history.js";
import { ReplayRun } from "#backtest/replay-run.js";
import type {
  EquitySample,
  FundingPayment,
  ReplayFill,
  RunObserver,
} from "#backtest/run-observer.js";
import type { BotEvent } from "#bot/bot-event.js";
import type { BotConfig } from "#bot/config.js";
import { botSchema } from "#bot/config-schema.js";
import type { MarketId } from "#core/units.js";
import type { VenueRules } from "#exchange/records.js";
import type { ReferenceTape } from "#history/reference-tape.js";
import type { MarketView } from "#market/view.js";
import type { Quote } from "#strategies/intent.js";
import type { BoundStrategy } from "#strategies/strategy.js";

/** Noon of a day, microseconds: the start of the synthetic histories of these tests. */
export const NOON_US = Date.UTC(2026, 0, 5, 12) * 1000;
export const MARKET = "btcusdc";
/**
 * The grid of every market here: 0.1 quote and 0.001 base, so that one lot at one tick is 0.0001
 * quote, 100 units of credit.
 */
export const GRID = { tickSize: "0.1", stepSize: "0.001" };

/** Quotes at fixed prices, or as a function of the view. */
export function quoting(quotes: (view: MarketView) => readonly Quote[]): BoundStrategy {
  return () => (view$) =>
    view$.pipe(
      map((view) => ({
        kind: "quotes" as const,
        marketId: view.marketId,
        viewSequence: view.sequence,
        quotes: quotes(view),
        reason: {
          fairTicks: view.midTicks,
          reservationTicks: view.midTicks,
          halfSpreadTicks: 1,
          terms: {},
          clamps: [],
        },
      })),
    );
}

/** Options that a test sets for a run. */
export interface StageOptions {
  readonly markets: Readonly<Record<MarketId, MarketHistory>>;
  readonly strategies: Readonly<Record<MarketId, BoundStrategy>>;
  readonly bot?: Record<string, unknown>;
  readonly fees?: { readonly maker: string; readonly taker: string };
  readonly rules?: Partial<Parameters<typeof readVenueRules>[0]>;
  readonly fills?: Partial<FillOptions>;
  readonly latency?: LatencyModel;
  readonly ownModels?: ReadonlyMap<MarketId, MarketFillModel>;
  readonly creditQuote?: bigint;
  readonly warmupMs?: number;
  readonly seed?: string;
  readonly startUs?: number;
  readonly sampleUs?: number;
  readonly feedOf?: FeedFactory;
  /** Prices of the sources in the bot's `references`. */
  readonly references?: Readonly<Record<string, ReferenceTape>>;
  readonly keepsStatistics?: boolean;
  /** Receives every event of the bot, besides {@link ReplayStage.notices}. */
  readonly onBotEvent?: (notice: BotEvent) => void;
  /** Observes the run instead of the stage's own {@link Told}. */
  readonly observer?: RunObserver;
}

/** Everything that a run reported. */
export class Told implements RunObserver {
  readonly fills: ReplayFill[] = [];
  readonly samples: EquitySample[] = [];
  readonly payments: FundingPayment[] = [];
  readonly actions: { readonly kind: string; readonly atUs: number }[] = [];
  readonly notes: string[] = [];
  readonly predictions: { readonly atUs: number; readonly ticks: number }[] = [];
  readonly quotes: { readonly side: string; readonly ticks: number; readonly atUs: number }[] = [];
  touch(): void {}
  fill(fill: ReplayFill): void {
    this.fills.push(fill);
  }
  equity(sample: EquitySample): void {
    this.samples.push(sample);
  }
  quote(_marketId: MarketId, atUs: number, side: string, ticks: number): void {
    this.quotes.push({ side, ticks, atUs });
  }
  action(_marketId: MarketId, atUs: number, kind: string): void {
    this.actions.push({ kind, atUs });
  }
  prediction(_marketId: MarketId, atUs: number, ticks: number): void {
    this.predictions.push({ atUs, ticks });
  }
  funding(payment: FundingPayment): void {
    this.payments.push(payment);
  }
  note(_atUs: number, _level: string, text: string): void {
    this.notes.push(text);
  }
}

/** The rules of markets on {@link GRID}. */
export function stageRules(
  ids: readonly MarketId[],
  fees?: StageOptions["fees"],
  changed?: StageOptions["rules"],
): VenueRules {
  const { maker = "0.0001", taker = "0.0005" } = fees ?? {};
  const market = {
    tickSizeQuote: GRID.tickSize,
    stepSizeBase: GRID.stepSize,
    makerFeeRate: maker,
    takerFeeRate: taker,
    maxLeverage: 20,
    liquidationThreshold: 0.03,
    maxOpenOrders: 200,
  };
  return readVenueRules(
    {
      markets: Object.fromEntries(ids.map((id) => [id, market])),
      liquidationPriceOff: 0.01,
      insuranceFeeRate: 0.01,
      ...changed,
    } as Parameters<typeof readVenueRules>[0],
    ids,
    "/",
  );
}

/** A bot on synthetic history, and its reports. */
export class ReplayStage {
  readonly told = new Told();
  readonly notices: { readonly atUs: number; readonly notice: BotEvent }[] = [];
  readonly run: ReplayRun;
  readonly rules: VenueRules;

  constructor(options: StageOptions) {
    const ids = Object.keys(options.markets);
    this.rules = stageRules(ids, options.fees, options.rules);
    this.run = new ReplayRun({
      config: stageBot(ids, options.bot),
      rules: this.rules,
      strategies: new Map(Object.entries(options.strategies)),
      markets: new Map(Object.entries(options.markets)),
      ...(options.references === undefined
        ? {}
        : { references: new Map(Object.entries(options.references)) }),
      fills: {
        queue: "risk-averse",
        partialFills: true,
        doubtful: "conservative",
        queueAheadBase: undefined,
        slippageTicks: 1,
        path: "ohlc",
        volumeShare: 0.1,
        ...options.fills,
      },
      createLatency: () => options.latency ?? constantLatency(10, 10),
      ...(options.ownModels === undefined ? {} : { marketModels: options.ownModels }),
      liquidation: { priceOff: 10n ** 16n, insuranceFeeRate: 10n ** 16n },
      startCredit: (options.creditQuote ?? 100_000n) * 1_000_000n,
      seed: options.seed ?? "1",
      startUs: options.startUs ?? NOON_US,
      warmupMs: options.warmupMs ?? 0,
      sampleUs: options.sampleUs ?? 1_000_000,
      ...(options.feedOf === undefined ? {} : { createFeed: options.feedOf }),
      ...(options.keepsStatistics === undefined
        ? {}
        : { keepsStatistics: options.keepsStatistics }),
      observer: options.observer ?? this.told,
      onBotEvent: (notice, atUs) => {
        this.notices.push({ notice, atUs });
        options.onBotEvent?.(notice);
      },
    });
  }

  /** All decisions and actions, as text. */
  get transcript(): string {
    return JSON.stringify(
      [this.notices, this.told.fills, this.told.samples.at(-1)],
      (_key, value: unknown) => (typeof value === "bigint" ? `${value}n` : value),
    );
  }
}

function stageBot(ids: readonly MarketId[], file: Record<string, unknown> = {}): BotConfig {
  const limits = { maxPositionBase: "10", maxOrderBase: "5" };
  const whole = {
    exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" },
    account: { keyEnv: "KEY" },
    quotes: { timeInForce: "POST_ONLY" },
    decide: { everyMs: 100, onTouchChange: true, onFill: true, minGapMs: 0 },
    markets: Object.fromEntries(ids.map((id) => [id, { strategy: "ladder", params: {}, limits }])),
    risk: { maxDrawdownQuote: "1000000" },
    ...file,
  };
  return { ...botSchema.parse(whole), path: "/backtest/bot.yaml" };
}
