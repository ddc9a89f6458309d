import type { BotConfig } from "../../bot/config/config.js";
import type { Bot } from "../../bot/engine/bot.js";
import type { BotEvent } from "../../bot/engine/bot-event.js";
import type { CreditUnits, Hex, MarketId } from "../../core/units.js";
import type { VenueOrder, VenueRules } from "../../exchange/records.js";
import type { ReferenceTape } from "../../history/columns/reference-tape.js";
import type { Span } from "../../history/spans.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { FeedFactory } from "../feed/create-feed.js";
import type { RunObserver } from "../record/run-observer.js";
import type { LatencyModel } from "../venue/latency/latency.js";
import type { LiquidationTerms } from "../venue/market-terms.js";
import type { OpeningPosition } from "../venue/replay-account.js";
import type { FillOptions, MarketFillModel } from "./fill-options.js";
import type { MarketHistory } from "./market-history.js";
import type { ReferenceFactory } from "./reference-replay.js";

/** Options of a replay. */
export interface ReplayRunOptions {
  readonly config: BotConfig;
  /** Rules of every market of the history. */
  readonly rules: VenueRules;
  readonly strategies: ReadonlyMap<MarketId, BoundStrategy>;
  readonly markets: ReadonlyMap<MarketId, MarketHistory>;
  /** The beginning of the history of each source of reference prices, by its name. */
  readonly references?: ReadonlyMap<string, ReferenceTape>;
  readonly fills: FillOptions;
  /** `feedUs`: the latency of market data at a local instant, for models that follow it. */
  readonly createLatency: (feedUs: (us: number) => number) => LatencyModel;
  /** Markets with other queue models or latencies than the run's. */
  readonly marketModels?: ReadonlyMap<MarketId, MarketFillModel>;
  readonly liquidation: LiquidationTerms;
  readonly startCredit: CreditUnits;
  /** Opening positions of the account; none where absent: a backtest begins flat. */
  readonly opening?: ReadonlyMap<MarketId, OpeningPosition>;
  /** Orders that are open at the beginning, on their markets' grids; none where absent. */
  readonly openOrders?: readonly VenueOrder[];
  /** Owner of the orders: a bot adopts open orders that a bot of this account has placed. */
  readonly account?: Hex;
  readonly seed: string;
  /** Exchange time, microseconds since 1970. */
  readonly startUs: number;
  /** How long the strategies only watch before quotes are allowed. */
  readonly warmupMs: number;
  /** Interval between samples of the account. */
  readonly sampleUs: number;
  readonly observer: RunObserver;
  /** Called with every event of the bot and its time on the bot's clock, microseconds. */
  readonly onBotEvent?: (notice: BotEvent, atUs: number, bot?: Bot) => void;
  /** True for a bot that keeps statistics of its run, as a live one does for its day files. */
  readonly keepsStatistics?: boolean;
  /** Times at which the bot's requests do not get through, on its clock, ascending. */
  readonly outages?: readonly Span[];
  /**
   * A cutoff: the bot receives nothing after it, and the exchange has no later point of a candle.
   */
  readonly cutUs?: number;
  /**
   * Creates the bot's feed of a market, where it differs from `createFeed` (`feed/create-feed.ts`).
   */
  readonly createFeed?: FeedFactory;
  /** Creates a source of reference prices, where it differs from `ReferenceReplay`. */
  readonly createReference?: ReferenceFactory;
}
