import { Bot } from "#bot/bot.js";
import type { BotEvent } from "#bot/bot-event.js";
import type { BotConfig } from "#bot/config.js";
import { botSchema } from "#bot/config-schema.js";
import type { OutboxPort } from "#bot/dispatcher.js";
import { RunMonitor } from "#bot/run-monitor.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import type { Runtime } from "#core/runtime.js";
import type { Signer } from "#core/signing.js";
import type { MarketId, Ms } from "#core/units.js";
import { LiveVenue } from "#exchange/live-venue.js";
import { RestClient } from "#exchange/rest-client.js";
import type { Transport } from "#exchange/transport.js";
import type { VenueEvent } from "#exchange/venue.js";
import { Outbox, type OutboxItem } from "#executor/outbox.js";
import { createLog } from "#monitoring/log.js";
import { Metrics } from "#monitoring/metrics.js";
import type { BoundStrategy } from "#strategies/strategy.js";

/** The parts of a measured bot, each the one of a live run. */
export interface BenchBotOptions {
  /** The bot's YAML as an object. */
  readonly file: unknown;
  readonly runtime: Runtime;
  readonly transport: Transport;
  readonly signer: Signer;
  readonly strategies: ReadonlyMap<MarketId, BoundStrategy>;
  /** The time at which the current message was received. */
  readonly receivedMonotonicMs: () => Ms | undefined;
  /** Observers along the way, for the shares of the stages. */
  readonly watch?: {
    readonly event?: (event: VenueEvent) => void;
    readonly notice?: (notice: BotEvent) => void;
    readonly enqueued?: (item: OutboxItem) => void;
    readonly leaving?: (item: OutboxItem) => void;
  };
}

/** A started bot, with its observers. */
export interface BenchBot {
  readonly bot: Bot;
  close(): void;
}

const CONNECTIONS = 32;

/**
 * Assembles a bot as a live run does: venue, outbox, bot, metrics, and a log at its default level.
 * Only the state directory is in memory.
 * @param run advances virtual time until the promise settles.
 */
export async function startBenchBot(
  options: BenchBotOptions,
  run: <T>(promise: Promise<T>) => Promise<T>,
): Promise<BenchBot> {
  const { runtime, transport, signer, watch = {} } = options;
  const config: BotConfig = { ...botSchema.parse(options.file), path: "/bench.yaml" };
  const markets = Object.keys(config.markets);
  const client = new RestClient({
    transport,
    signer,
    nowMs: () => runtime.clock.nowMs(),
    timeoutMs: config.exchange.requestTimeoutMs,
  });
  const rules = await run(client.exchangeInfo(markets));
  await run(client.registerAccount());
  const monitor = new RunMonitor(
    new Metrics(),
    createLog({ write: () => {} }, { level: "info", clock: runtime.clock }),
    runtime.clock,
    () => {},
  );
  const outbox = new Outbox({ concurrency: CONNECTIONS });
  const venue = new LiveVenue({
    transport,
    runtime,
    signer,
    markets,
    exchangeNowMs: () => bot.context.exchangeTime.nowMs(),
    requestTimeoutMs: config.exchange.requestTimeoutMs,
    onWritten: (actionId) => monitor.onActionWritten(actionId),
  });
  const bot = new Bot({
    config,
    accountAddress: signer.address,
    rules,
    strategies: options.strategies,
    venue,
    runtime,
    store: new ForgetfulStore(),
    outbox:
      watch.enqueued === undefined && watch.leaving === undefined ? outbox : watched(outbox, watch),
    listener: (notice) => {
      watch.notice?.(notice);
      monitor.onBotEvent(notice);
    },
    receivedMonotonicMs: options.receivedMonotonicMs,
  });
  monitor.attach(bot);
  venue.events$.subscribe((event) => {
    watch.event?.(event);
    bot.accept({ kind: "event", event });
  });
  bot.command({ command: "start" });
  venue.setRules(rules);
  return {
    bot,
    close: () => {
      bot.abandon();
      venue.close();
      transport.close();
    },
  };
}

/** Drops append-only files. In a live run they go to the disk and take no memory of the bot. */
class ForgetfulStore extends MemoryStateStore {
  override append(): void {}
}

function watched(
  outbox: Outbox,
  { enqueued, leaving }: NonNullable<BenchBotOptions["watch"]>,
): OutboxPort {
  return {
    enqueue: (item) => {
      enqueued?.(item);
      outbox.enqueue({
        ...item,
        onTurn: (done) => {
          leaving?.(item);
          item.onTurn(done);
        },
      });
    },
  };
}
