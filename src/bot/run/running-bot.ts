import type { Runtime } from "../../core/runtime/runtime.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import type { RestClient } from "../../exchange/rest/rest-client.js";
import type { Transport } from "../../exchange/rest/transport.js";
import type { HedgeVenue } from "../../hedge/hedge-venue.js";
import type { Log } from "../../monitoring/log.js";
import type { Metrics } from "../../monitoring/metrics.js";
import type { BotConfig } from "../config/config.js";
import type { DayRecorder } from "../days/day-recorder.js";
import type { Bot } from "../engine/bot.js";
import type { BotEvent } from "../engine/bot-event.js";
import type { BotCommand } from "../engine/input.js";
import type { JournalSink } from "../journal/journal.js";
import type { NoticeRecorder } from "../notices/notice-recorder.js";
import type { StateStore } from "../state/state-dir.js";
import type { ChainAccess } from "./chain-access.js";
import type { ExchangeWait } from "./check/startup-retrier.js";
import type { RunMonitor } from "./monitor/run-monitor.js";
import type { ReferenceAccess } from "./references/prepare-sources.js";
import type { RunningLiquidator } from "./run-liquidator.js";
import type { SessionBeginning, SessionListener, VenueDecorator } from "./session-listener.js";

/**
 * Options of a live bot. The config is checked, the state directory is the account's own, the lock
 * is held.
 */
export interface RunBotOptions {
  readonly config: BotConfig;
  readonly privateKey: Hex;
  readonly runtime: Runtime;
  readonly store: StateStore;
  readonly log: Log;
  readonly metrics?: Metrics;
  readonly dryRun?: boolean;
  /**
   * Runs only the market maker, even if its file has a liquidator: no account is watched or taken
   * over.
   */
  readonly withoutLiquidator?: boolean;
  /** Destination of the journal, if one is kept. */
  readonly journal?: JournalSink;
  /**
   * Called with the exchange's rules before the account is registered or anything else is done
   * there. An exception ends the start.
   */
  readonly onRules?: (rules: VenueRules) => void;
  /** The network; the real one of the config's addresses if absent. */
  readonly transport?: Transport;
  /** How to wait for an exchange that does not listen yet; if absent, the start does not wait. */
  readonly exchangeWait?: Omit<ExchangeWait, "rest" | "withinMs">;
  /** The chain of a bot that liquidates, or that reads price feeds. */
  readonly chain?: ChainAccess;
  /**
   * Called with the market whose strategy is being called, and with undefined once it has returned.
   */
  readonly onStrategyCall?: (marketId: MarketId | undefined) => void;
  /** Called with every event of the bot. It only observes. */
  readonly onBotEvent?: ((event: BotEvent, bot: Bot) => void) | undefined;
  /** Records the day files. It only observes. */
  readonly dayRecorder?: DayRecorder | undefined;
  /** Starts a recording of the session. */
  readonly record?: (beginning: SessionBeginning) => Promise<SessionListener>;
  /** How the sources of reference prices reach their networks; the real ones if absent. */
  readonly references?: ReferenceAccess;
  /** Writes the events that people want to know of; nothing is written if absent. */
  readonly notices?: NoticeRecorder | undefined;
  /**
   * Opens the venues where positions are laid off, by name, once the exchange's rules are known.
   * Nothing is hedged if it is absent, in a dry run and on paper.
   */
  readonly openHedgeVenues?: (
    account: Hex,
    rules: VenueRules,
  ) => Promise<ReadonlyMap<string, HedgeVenue>>;
  /**
   * Only for a paper session: the venue that fills its orders. The live venue then only serves the
   * markets' streams, and no order reaches it.
   */
  readonly paper?: VenueDecorator;
}

/** A running bot. */
export interface RunningBot {
  readonly bot: Bot;
  readonly monitor: RunMonitor;
  readonly metrics: Metrics;
  readonly client: RestClient;
  readonly account: Hex;
  /**
   * False for a dry run of an account that the exchange does not know: it then runs as an empty
   * one.
   */
  readonly registered: boolean;
  /** The liquidator of a bot that has one. */
  readonly liquidator: RunningLiquidator | undefined;
  command(command: BotCommand): void;
  /**
   * Fails the bot for an uncaught error, such as one of a strategy's own timer: everything is
   * cancelled, `stopped` rejects.
   */
  fail(error: unknown): void;
  /**
   * True once the bot has failed, takes no more input, and cancels everything: its status is from
   * before.
   */
  hasFailed(): boolean;
  /**
   * Resolves when the bot has stopped and the fate of every order is known, or given up on. Rejects
   * if the bot failed.
   */
  readonly stopped: Promise<void>;
  /** Closes the network connections. Call it after `stopped`. */
  close(): void;
}

/** An assembled bot, without a liquidator. */
export interface Assembled extends Omit<RunningBot, "liquidator"> {
  readonly addListener: (listener: (notice: BotEvent) => void) => void;
  /** The exchange's clock as the bot estimates it, at any time. */
  readonly exchangeNowMs: () => Ms;
}
