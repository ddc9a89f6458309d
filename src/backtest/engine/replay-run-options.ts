import type { BotConfig } from "../../bot/config/config.js";
import type { BotEvent } from "../../bot/engine/bot-event.js";
import type { CreditUnits, MarketId } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Span } from "../../history/spans.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { FeedFactory } from "../feed/create-feed.js";
import type { RunObserver } from "../record/run-observer.js";
import type { LatencyModel } from "../venue/latency/latency.js";
import type { LiquidationTerms } from "../venue/market-terms.js";
import type { OpeningPosition } from "../venue/replay-account.js";
import type { FillOptions, MarketFillModel } from "./fill-options.js";
import type { MarketHistory } from "./market-history.js";

/** What a replay is made of. */
export interface ReplayRunOptions {
  readonly config: BotConfig;
  /** Of every market of the history. */
  readonly rules: VenueRules;
  readonly strategies: ReadonlyMap<MarketId, BoundStrategy>;
  readonly markets: ReadonlyMap<MarketId, MarketHistory>;
  readonly fills: FillOptions;
  /** `feedUs`: how long market data takes at a local instant, for models that follow it. */
  readonly createLatency: (feedUs: (us: number) => number) => LatencyModel;
  /** Of markets that have other queues than `fills` says, and other latencies. */
  readonly marketModels?: ReadonlyMap<MarketId, MarketFillModel>;
  readonly liquidation: LiquidationTerms;
  readonly startCredit: CreditUnits;
  /** Positions that the account begins with; none where absent: a backtest begins without any. */
  readonly opening?: ReadonlyMap<MarketId, OpeningPosition>;
  readonly seed: string;
  /** Exchange time, microseconds since 1970. */
  readonly startUs: number;
  /** How long the strategies watch before a quote may stand. */
  readonly warmupMs: number;
  /** Between two samples of the account. */
  readonly sampleUs: number;
  readonly observer: RunObserver;
  /** Everything that the bot tells, with the instant on its clock, microseconds. */
  readonly onBotEvent?: (notice: BotEvent, atUs: number) => void;
  /** When the bot's requests do not get through, on its clock, ascending. */
  readonly outages?: readonly Span[];
  /** An instant after which nothing is there: of what is heard later the bot has nothing, and the exchange nothing of a candle's later points. */
  readonly cutUs?: number;
  /** How the bot hears a market, where not as `createFeed` (`feed/feed-of.ts`) has it. */
  readonly createFeed?: FeedFactory;
}
