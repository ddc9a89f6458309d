import type { Signer } from "../../core/crypto/signing.js";
import { RunError } from "../../core/errors.js";
import type { Clock } from "../../core/runtime/seam.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import type { RestClient } from "../../exchange/rest/rest-client.js";
import type { Transport } from "../../exchange/rest/transport.js";
import { Outbox } from "../../executor/outbox.js";
import type { Metrics } from "../../monitoring/metrics.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import { Bot } from "../engine/bot.js";
import type { Notice } from "../engine/bot-event.js";
import type { BotCommand } from "../engine/input.js";
import type { StrategyFile } from "../journal/journal.js";
import { BreakWatch } from "./monitor/failure-handler.js";
import { RunMonitor } from "./monitor/run-monitor.js";
import type { Assembled, RunBotOptions } from "./running-bot.js";
import { sessionHeader, turnRecorderOf } from "./session-journal.js";
import type { BetweenBot, SessionTap } from "./session-listener.js";
import { sessionVenue } from "./session-venue.js";
import type { ReceivedStamp } from "./timestamped-transport.js";
import { EarlierTrades } from "./trade-backfill.js";

/** Requests under way at once, each on a connection of its own: a place that hangs holds up nobody else. */
export const CONNECTIONS = 32;

/** What a bot is put together from, once the exchange has been asked. */
export interface BotParts {
  readonly signer: Signer;
  readonly rules: VenueRules;
  readonly strategies: ReadonlyMap<MarketId, BoundStrategy>;
  readonly files: Readonly<Record<MarketId, StrategyFile>>;
  readonly metrics: Metrics;
  readonly client: RestClient;
  /** Reads the exchange's clock for what the client signs from then on. */
  readonly readClock: () => Promise<void>;
  /** The network as it stamps what it receives. */
  readonly received: ReceivedStamp;
  readonly account: Hex;
  readonly network: Transport;
  readonly registered: boolean;
  readonly tap: SessionTap | undefined;
}

/** Puts a bot together and starts it. @throws RunError of a session on paper that is no dry run. */
export function assembleBot(options: RunBotOptions, parts: BotParts): Assembled {
  const { config, seam, store, log, paper } = options;
  const { rules, account, metrics, client, registered, tap } = parts;
  const isDry = options.dryRun === true;
  if (paper !== undefined && !isDry)
    throw new RunError("fills orders on paper", {
      field: "paper",
      expected: "a dry run, which registers and sends nothing",
    });
  const watch = new BreakWatch({
    client,
    readClock: parts.readClock,
    config,
    clock: seam.clock,
    log,
    isDry,
  });
  const monitor = new RunMonitor(metrics, log, seam.clock, () => watch.end());
  const listeners: ((notice: Notice) => void)[] = [];
  let made: Bot | undefined;
  const asks = asksOf(() => made, seam.clock);
  const { venue, live } = sessionVenue({
    config,
    seam,
    transport: parts.received,
    signer: parts.signer,
    beginning: { account, rules, registered },
    paper,
    bot: asks,
    onWritten: (actionId) => monitor.written(actionId),
  });
  const header = sessionHeader(
    {
      account,
      config,
      rules,
      // A paper session's orders go to its own venue: the bot works them as if they were live.
      dryRun: isDry && paper === undefined,
      isPaper: paper !== undefined,
      strategies: parts.files,
    },
    seam,
    store,
  );
  const journal = turnRecorderOf(header, { journal: options.journal, tap });
  const earlier =
    !registered || paper !== undefined
      ? undefined
      : new EarlierTrades({
          store,
          client,
          clock: seam.clock,
          log,
          onAsking: () => command({ command: "asked" }),
        });
  const outbox = new Outbox({ concurrency: CONNECTIONS });
  const bot = new Bot({
    config,
    accountAddress: account,
    rules,
    strategies: parts.strategies,
    venue,
    seam: { ...seam, clock: guardedClock(seam.clock, watch) },
    store,
    outbox: { enqueue: (item) => outbox.enqueue({ ...item, leave: watch.guarded(item.leave) }) },
    observer: (notice) => {
      monitor.observe(notice);
      if (made !== undefined) tap?.notice(notice, made);
      earlier?.hear(notice);
      for (const listener of listeners) listener(notice);
    },
    ...(options.calling === undefined ? {} : { calling: options.calling }),
    receivedMonotonicMs: () => parts.received.atMs,
    dryRun: header.dryRun,
    isPaper: header.isPaper,
    madeAt: header.stamp,
    ...(journal === undefined ? {} : { journal }),
  });
  made = bot;
  watch.attach(bot);
  monitor.attach(bot);
  earlier?.attach(bot);
  const subscription = venue.events$.subscribe(
    watch.guarded((event) => {
      tap?.event(event);
      bot.accept({ kind: "event", event });
    }),
  );
  const command = watch.guarded((wanted: BotCommand) => bot.command(wanted));
  command({ command: "start" });
  live.setRules(rules);
  return {
    onNotice: (listener) => listeners.push(listener),
    exchangeNowMs: asks.exchangeNowMs,
    fail: watch.guarded((error: unknown): void => {
      throw error;
    }),
    bot,
    monitor,
    metrics,
    client,
    account,
    registered,
    command,
    isBroken: () => watch.isBroken,
    stopped: watch.stopped,
    close: () => {
      earlier?.close();
      subscription.unsubscribe();
      venue.close();
      parts.network.close();
    },
  };
}

/** What is asked of a bot at any time, also before it is made. Its own clock stands still between its turns. */
function asksOf(bot: () => Bot | undefined, machine: Clock): BetweenBot {
  return {
    levelOf: (hash) => bot()?.context.account.orders.get(hash)?.level ?? -1,
    exchangeNowMs: (): Ms => {
      const context = bot()?.context;
      if (context === undefined) return machine.nowMs();
      return Math.round(
        context.exchangeTime.nowMs() + machine.monotonicMs() - context.clock.monotonicMs(),
      );
    },
  };
}

/** A timer's fire enters the bot: what it throws must not be lost in the runtime. */
function guardedClock(clock: Clock, watch: BreakWatch): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    setTimer: (delayMs, fire) => clock.setTimer(delayMs, watch.guarded(fire)),
  };
}
