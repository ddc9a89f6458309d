import type { Signer } from "../../core/crypto/signing.js";
import { RunError } from "../../core/errors.js";
import type { Clock, Runtime } from "../../core/runtime/runtime.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import { LiveVenue } from "../../exchange/live-venue.js";
import type { VenueRules } from "../../exchange/records.js";
import type { RestClient } from "../../exchange/rest/rest-client.js";
import type { Transport } from "../../exchange/rest/transport.js";
import type { Venue } from "../../exchange/venue.js";
import { Outbox } from "../../executor/outbox.js";
import type { HedgeVenue } from "../../hedge/hedge-venue.js";
import type { Metrics } from "../../monitoring/metrics.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { BotConfig } from "../config/config.js";
import { Bot } from "../engine/bot.js";
import type { BotEvent } from "../engine/bot-event.js";
import type { BotCommand } from "../engine/input.js";
import type { StrategyFile } from "../journal/journal.js";
import { recordHedgeVenues } from "../journal/recorded-hedge-venues.js";
import { openFeedChain } from "./chain-access.js";
import { FailureHandler } from "./monitor/failure-handler.js";
import { RunMonitor } from "./monitor/run-monitor.js";
import { LiveReferences } from "./references/live-references.js";
import type { PreparedSource } from "./references/prepare-sources.js";
import type { Assembled, RunBotOptions } from "./running-bot.js";
import { createTurnRecorder, sessionHeader } from "./session-journal.js";
import type {
  SessionBeginning,
  SessionListener,
  VenueDecorator,
  VenueDecoratorDeps,
} from "./session-listener.js";
import type { TimestampedTransport } from "./timestamped-transport.js";
import { TradeBackfill } from "./trade-backfill.js";
import { UnregisteredAccountVenue } from "./unregistered-account-venue.js";

/**
 * Most requests in flight at once, each on a connection of its own: a place that hangs delays no
 * other request.
 */
export const CONNECTIONS = 32;

/** Inputs of a bot's assembly, once the exchange has answered. */
export interface AssembleBotDeps {
  readonly signer: Signer;
  readonly rules: VenueRules;
  readonly strategies: ReadonlyMap<MarketId, BoundStrategy>;
  readonly files: Readonly<Record<MarketId, StrategyFile>>;
  readonly metrics: Metrics;
  readonly client: RestClient;
  /** Synchronises the client's clock with the exchange's, for all later signatures. */
  readonly syncClock: () => Promise<void>;
  /** The transport that timestamps received messages. */
  readonly timestampedTransport: TimestampedTransport;
  readonly account: Hex;
  readonly network: Transport;
  readonly registered: boolean;
  readonly sessionListener: SessionListener | undefined;
  /** The sources of reference prices that markets use. */
  readonly references: readonly PreparedSource[];
  /** The venues where positions are laid off, by name. */
  readonly hedgeVenues: ReadonlyMap<string, HedgeVenue>;
}

/** Assembles a bot and starts it. @throws RunError for a paper session that is not a dry run. */
export function assembleBot(options: RunBotOptions, parts: AssembleBotDeps): Assembled {
  const { config, runtime, store, log, paper } = options;
  const { rules, account, metrics, client, registered, sessionListener, hedgeVenues } = parts;
  const isDry = options.dryRun === true;
  if (paper !== undefined && !isDry)
    throw new RunError("fills orders on paper", {
      field: "paper",
      expected: "a dry run, which registers and sends nothing",
    });
  const watch = new FailureHandler({
    client,
    syncClock: parts.syncClock,
    config,
    clock: runtime.clock,
    log,
    isDry,
  });
  const monitor = new RunMonitor(metrics, log, runtime.clock, () => watch.end());
  const listeners: ((notice: BotEvent) => void)[] = [];
  let made: Bot | undefined;
  const asks = createDecoratorDeps(() => made, runtime.clock);
  const { venue, live } = sessionVenue({
    config,
    runtime,
    transport: parts.timestampedTransport,
    signer: parts.signer,
    beginning: { account, rules, registered },
    paper,
    bot: asks,
    onWritten: (actionId) => monitor.onActionWritten(actionId),
  });
  const header = sessionHeader(
    {
      account,
      config,
      rules,
      // A paper session's orders go to its own venue: the bot treats them as live.
      dryRun: isDry && paper === undefined,
      isPaper: paper !== undefined,
      strategies: parts.files,
      ...(hedgeVenues.size === 0 ? {} : { hedgeVenues: recordHedgeVenues(hedgeVenues) }),
    },
    runtime,
    store,
  );
  const journal = createTurnRecorder(header, { journal: options.journal, tap: sessionListener });
  const earlier =
    !registered || paper !== undefined
      ? undefined
      : new TradeBackfill({
          store,
          client,
          clock: runtime.clock,
          log,
          onRequest: () => command({ command: "asked" }),
        });
  const outbox = new Outbox({ concurrency: CONNECTIONS });
  const bot = new Bot({
    config,
    accountAddress: account,
    rules,
    strategies: parts.strategies,
    venue,
    runtime: { ...runtime, clock: guardedClock(runtime.clock, watch) },
    store,
    outbox: {
      enqueue: (item) => outbox.enqueue({ ...item, onTurn: watch.catchFailures(item.onTurn) }),
    },
    listener: (notice) => {
      monitor.onBotEvent(notice);
      if (made !== undefined) {
        sessionListener?.onBotEvent(notice, made);
        options.notices?.onBotEvent(notice, made);
        options.onBotEvent?.(notice, made);
      }
      earlier?.onBotEvent(notice);
      options.dayRecorder?.onBotEvent(notice);
      for (const listener of listeners) listener(notice);
    },
    ...(options.onStrategyCall === undefined ? {} : { onStrategyCall: options.onStrategyCall }),
    hedgeVenues,
    receivedMonotonicMs: () => parts.timestampedTransport.atMs,
    dryRun: header.dryRun,
    isPaper: header.isPaper,
    madeAt: header.stamp,
    ...(journal === undefined ? {} : { journal }),
  });
  made = bot;
  watch.attach(bot);
  monitor.attach(bot);
  earlier?.attach(bot);
  options.dayRecorder?.attach(bot, asks.exchangeNowMs);
  const subscription = venue.events$.subscribe(
    watch.catchFailures((event) => {
      sessionListener?.onVenueEvent(event);
      bot.accept({ kind: "event", event });
    }),
  );
  for (const [name, { events$ }] of hedgeVenues)
    subscription.add(
      events$.subscribe(
        watch.catchFailures((event) => bot.accept({ kind: "hedge", venue: name, event })),
      ),
    );
  const command = watch.catchFailures((wanted: BotCommand) => bot.command(wanted));
  const references = new LiveReferences({
    sources: parts.references,
    clock: runtime.clock,
    openChain: () =>
      openFeedChain({ config, runtime, rpcs: options.chain?.rpcs }, rules, asks.exchangeNowMs),
    accept: watch.catchFailures((update) => bot.accept({ kind: "reference", update })),
    write: (level, text, fields) => monitor.writeThrottled(level, text, fields),
  });
  command({ command: "start" });
  live.setRules(rules);
  references.start();
  for (const hedgeVenue of hedgeVenues.values()) hedgeVenue.start();
  return {
    addListener: (listener) => listeners.push(listener),
    exchangeNowMs: asks.exchangeNowMs,
    fail: watch.catchFailures((error: unknown): void => {
      throw error;
    }),
    bot,
    monitor,
    metrics,
    client,
    account,
    registered,
    command,
    hasFailed: () => watch.hasFailed,
    stopped: watch.stopped,
    close: () => {
      references.close();
      earlier?.close();
      subscription.unsubscribe();
      venue.close();
      for (const hedgeVenue of hedgeVenues.values()) hedgeVenue.close();
      parts.network.close();
    },
  };
}

/** Options of {@link sessionVenue}. */
interface SessionVenueOptions {
  readonly config: BotConfig;
  readonly runtime: Runtime;
  readonly transport: Transport;
  readonly signer: Signer;
  readonly beginning: SessionBeginning;
  readonly paper: VenueDecorator | undefined;
  /** Access of a venue decorator to the bot, which is created after it. */
  readonly bot: VenueDecoratorDeps;
  readonly onWritten: (actionId: number) => void;
}

/** A session's venue, and the live one beneath it, which receives the rules. */
interface SessionVenue {
  readonly venue: Venue;
  readonly live: LiveVenue;
}

/**
 * The exchange as a session trades on it: live, with a paper venue over the markets' streams, or
 * with an account that it does not know.
 */
function sessionVenue({
  config,
  runtime,
  transport,
  signer,
  beginning,
  paper,
  bot,
  onWritten,
}: SessionVenueOptions): SessionVenue {
  const { registered } = beginning;
  const live = new LiveVenue({
    transport,
    runtime,
    signer,
    markets: Object.keys(config.markets),
    exchangeNowMs: bot.exchangeNowMs,
    requestTimeoutMs: config.exchange.requestTimeoutMs,
    onWritten,
    streams: registered && paper === undefined ? true : "market",
  });
  if (paper !== undefined) return { live, venue: paper(live, beginning, bot) };
  return { live, venue: registered ? live : new UnregisteredAccountVenue(live, runtime.clock) };
}

/**
 * Values of a bot that are read at any time, also before it is created. Its own clock does not
 * advance between its turns.
 */
function createDecoratorDeps(bot: () => Bot | undefined, machine: Clock): VenueDecoratorDeps {
  return {
    levelFor: (hash) => bot()?.context.account.orders.get(hash)?.level ?? -1,
    exchangeNowMs: (): Ms => {
      const context = bot()?.context;
      if (context === undefined) return machine.nowMs();
      return Math.round(
        context.exchangeTime.nowMs() + machine.monotonicMs() - context.clock.monotonicMs(),
      );
    },
  };
}

/** A timer's firing enters the bot: the runtime must not swallow its exception. */
function guardedClock(clock: Clock, watch: FailureHandler): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    setTimer: (delayMs, fire) => clock.setTimer(delayMs, watch.catchFailures(fire)),
  };
}
