import type { Seam } from "../../core/runtime/seam.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import type { RestClient } from "../../exchange/rest/rest-client.js";
import type { Transport } from "../../exchange/rest/transport.js";
import type { Log } from "../../monitoring/log.js";
import type { Metrics } from "../../monitoring/metrics.js";
import type { BotConfig } from "../config/config.js";
import type { Bot } from "../engine/bot.js";
import type { BotEvent } from "../engine/bot-event.js";
import type { BotCommand } from "../engine/input.js";
import type { JournalSink } from "../journal/journal.js";
import type { StateStore } from "../state/state-dir.js";
import type { ChainAccess } from "./chain-access.js";
import type { ExchangeWait } from "./check/startup-retrier.js";
import type { RunMonitor } from "./monitor/run-monitor.js";
import type { RunningLiquidator } from "./run-liquidator.js";
import type { SessionBeginning, SessionListener, VenueDecorator } from "./session-listener.js";

/**
 * What a live bot is started with. The config is checked, the state directory is the account's own,
 * the lock is held.
 */
export interface RunBotOptions {
  readonly config: BotConfig;
  readonly privateKey: Hex;
  readonly runtime: Seam;
  readonly store: StateStore;
  readonly log: Log;
  readonly metrics?: Metrics;
  readonly dryRun?: boolean;
  /** The market maker alone, whatever liquidator its file has: nothing is watched or taken over. */
  readonly withoutLiquidator?: boolean;
  /** Where the journal goes, when one is kept. */
  readonly journal?: JournalSink;
  /**
   * Called with the exchange's rules before the account is registered or anything else is done
   * there. What it throws is thrown.
   */
  readonly onRules?: (rules: VenueRules) => void;
  /** The network; the real one of the config's addresses when absent. */
  readonly transport?: Transport;
  /** How an exchange that is not there yet is waited for; it is not where this is absent. */
  readonly exchangeWait?: Omit<ExchangeWait, "rest" | "withinMs">;
  /** The chain of a bot that liquidates. */
  readonly chain?: ChainAccess;
  /** Told which market's strategy is being called, and undefined once it has returned. */
  readonly onStrategyCall?: (marketId: MarketId | undefined) => void;
  /** Begins a recording of the session. */
  readonly record?: (beginning: SessionBeginning) => Promise<SessionListener>;
  /**
   * Of a paper session: the venue that fills its orders. The live one is then asked for the
   * markets' streams alone, and no order reaches it.
   */
  readonly paper?: VenueDecorator;
}

/** A bot that runs. */
export interface RunningBot {
  readonly bot: Bot;
  readonly monitor: RunMonitor;
  readonly metrics: Metrics;
  readonly client: RestClient;
  readonly account: Hex;
  /**
   * False of a dry run for an account that the exchange does not know: it then runs as an empty
   * one.
   */
  readonly registered: boolean;
  /** Of a bot that has one. */
  readonly liquidator: RunningLiquidator | undefined;
  command(command: BotCommand): void;
  /**
   * An error that nobody caught, such as one of a strategy's own timer: the bot is broken,
   * everything is cancelled, `stopped` rejects.
   */
  fail(error: unknown): void;
  /**
   * It met an error, takes no input any more, and is cancelling everything: what it says of itself
   * is from before.
   */
  hasFailed(): boolean;
  /**
   * Resolves when the bot has stopped and the fate of every order is known, or given up on. Rejects
   * when the bot broke.
   */
  readonly stopped: Promise<void>;
  /** Lets go of the network. After `stopped`. */
  close(): void;
}

/** A bot that was put together, without a liquidator. */
export interface Assembled extends Omit<RunningBot, "liquidator"> {
  readonly addListener: (listener: (notice: BotEvent) => void) => void;
  /** The exchange's clock as the bot estimates it, at any time. */
  readonly exchangeNowMs: () => Ms;
}
