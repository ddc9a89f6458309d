import type { Runtime } from "../../core/runtime/runtime.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Venue } from "../../exchange/venue.js";
import type { LiveOrderBook } from "../../market/live-order-book.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { BotConfig } from "../config/config.js";
import type { OutboxPort } from "../execution/dispatcher.js";
import type { UsedHedgeVenue } from "../hedge/market-hedges.js";
import type { TurnRecorder } from "../journal/journal.js";
import type { StateStore } from "../state/state-dir.js";
import type { BotListener } from "./bot-event.js";
import type { TurnStamp } from "./input.js";

/** Options of a `Bot`. Every real dependency is passed in here. */
export interface BotOptions {
  readonly config: BotConfig;
  readonly accountAddress: Hex;
  /** `exchangeInfo`, read before: the grid and domain of the whole run. */
  readonly rules: VenueRules;
  readonly strategies: ReadonlyMap<MarketId, BoundStrategy>;
  readonly venue: Venue;
  readonly runtime: Runtime;
  readonly store: StateStore;
  readonly outbox: OutboxPort;
  readonly listener: BotListener;
  /**
   * Books that the venue itself changes in place before a `wake`: those of a replay. Absent for a
   * venue that emits book events.
   */
  readonly bookFor?: (marketId: MarketId) => LiveOrderBook;
  /** The venues where positions are laid off, by name; nothing is hedged without them. */
  readonly hedgeVenues?: ReadonlyMap<string, UsedHedgeVenue>;
  readonly journal?: TurnRecorder;
  /**
   * Instant at which the state is read, from the journal's header; the runtime's clock if absent.
   */
  readonly madeAt?: TurnStamp;
  /**
   * True if a journal brings every input. Signals that a strategy emits outside a turn are dropped,
   * because their recorded turn follows.
   */
  readonly isReplay?: boolean;
  /**
   * Creates the name by which the next own order is recognised, a different one each time. It
   * replaces the order's `info` too, and no nonce is drawn. If absent, the name is the EIP-712
   * hash, which the exchange uses. Only for a venue to which nothing is signed.
   */
  readonly nextOrderHash?: () => Hex;
  readonly dryRun?: boolean;
  /** The bot's orders are filled on paper: the market's book contains none of them. */
  readonly isPaper?: boolean;
  /** Interval of the ticks; 100 ms if absent. Longer only for coarser history: candles. */
  readonly tickMs?: Ms;
  /**
   * Called with the market whose strategy is being called, and with undefined once it has returned:
   * for a watchdog.
   */
  readonly onStrategyCall?: (marketId: MarketId | undefined) => void;
  /** False for no statistics of the run, as in backtests and replays. True if absent. */
  readonly keepsStatistics?: boolean;
  /**
   * When the message in progress was received; undefined outside one. Only for the tick-to-order
   * metric.
   */
  readonly receivedMonotonicMs?: () => Ms | undefined;
}
