import { RunError } from "../../core/errors.js";
import type { Seam } from "../../core/seam.js";
import type { Signer } from "../../core/signing.js";
import type { Hex, MarketId } from "../../core/units.js";
import { LiveVenue } from "../../exchange/live-venue.js";
import { NetworkTransport } from "../../exchange/network-transport.js";
import type { VenueRules } from "../../exchange/records.js";
import { RestClient } from "../../exchange/rest-client.js";
import type { Transport } from "../../exchange/transport.js";
import type { Venue } from "../../exchange/venue.js";
import { Outbox } from "../../executor/outbox.js";
import type { Log } from "../../monitoring/log.js";
import { Metrics } from "../../monitoring/metrics.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import { Bot } from "../bot.js";
import { cancelAfterBreak } from "../cancelling/cancel-after-break.js";
import { accountSigner } from "../config/account-key.js";
import type { BotConfig } from "../config/config.js";
import { checkOnGrid } from "../config/config-grid.js";
import type { BotCommand } from "../input.js";
import { JOURNAL_VERSION, type JournalSink, JournalWriter, type StrategyFile, tellAll } from "../journal/journal.js";
import type { Notice } from "../notice.js";
import type { StateStore } from "../state/state-dir.js";
import { strategyStack, thrownText } from "../strategy/strategy-stack.js";
import { BlankAccountVenue } from "./blank-account-venue.js";
import { withoutProviderKeys } from "./chain-access.js";
import { EarlierTrades } from "./earlier-trades.js";
import { bindStrategies, loadStrategies, strategyFiles } from "./market-strategies.js";
import { ReceivedStamp } from "./received-stamp.js";
import { isRegistered } from "./registration.js";
import type { ChainAccess, RunningLiquidator } from "./run-liquidator.js";
import { RunMonitor } from "./run-monitor.js";
import type { SessionBeginning, SessionTap, VenueBetween } from "./session-tap.js";
import { StartReads } from "./start-reads.js";
import { withLiquidator } from "./with-liquidator.js";

/** Requests under way at once, each on a connection of its own: a place that hangs holds up nobody else. */
const CONNECTIONS = 32;
/** State files that decide what a run does: a journal begins with them. */
export const STATE_FILES = [
  "budget.json",
  "built-orders.json",
  "contracts.json",
  "manual-halts.json",
  "peak-equity.json",
  "takeovers.json",
] as const;

/** What a live bot is started with. The config is checked, the state directory is the account's own, the lock is held. */
export interface RunBotOptions {
  readonly config: BotConfig;
  readonly privateKey: Hex;
  readonly seam: Seam;
  readonly store: StateStore;
  readonly log: Log;
  readonly metrics?: Metrics;
  readonly dryRun?: boolean;
  /** The market maker alone, whatever liquidator its file has: nothing is watched or taken over. */
  readonly alone?: boolean;
  /** Where the journal goes, when one is kept. */
  readonly journal?: JournalSink;
  /** Called with the exchange's rules before the account is registered or anything else is done there. What it throws is thrown. */
  readonly rulesRead?: (rules: VenueRules) => void;
  /** The network; the real one of the config's addresses when absent. */
  readonly transport?: Transport;
  /** The chain of a bot that liquidates. */
  readonly chain?: ChainAccess;
  /** Begins a recording of the session. */
  readonly record?: (beginning: SessionBeginning) => Promise<SessionTap>;
  /** Of a paper session: the venue that fills its orders. The live one is then asked for the markets' streams alone, and no order reaches it. */
  readonly paper?: VenueBetween;
}

/** A bot that runs. */
export interface RunningBot {
  readonly bot: Bot;
  readonly monitor: RunMonitor;
  readonly metrics: Metrics;
  readonly client: RestClient;
  readonly account: Hex;
  /** False of a dry run for an account that the exchange does not know: it then runs as an empty one. */
  readonly registered: boolean;
  /** Of a bot that has one. */
  readonly liquidator: RunningLiquidator | undefined;
  command(command: BotCommand): void;
  /** An error that nobody caught, such as one of a strategy's own timer: the bot is broken, everything is cancelled, `stopped` rejects. */
  fail(error: unknown): void;
  /** It met an error, takes no input any more, and is cancelling everything: what it says of itself is from before. */
  isBroken(): boolean;
  /** Resolves when the bot has stopped and the fate of every order is known, or given up on. Rejects when the bot broke. */
  readonly stopped: Promise<void>;
  /** Lets go of the network. After `stopped`. */
  close(): void;
}

/**
 * Starts a bot on the live exchange: asks its clock and rules, registers the account where it is new, loads the
 * strategies, checks sizes against the grid, then opens the streams. What fails for a passing cause is asked again ({@link StartReads}).
 * @throws ConfigError for what the configuration gets wrong, RunError or VenueRequestError when the exchange is not there.
 */
export async function startBot(options: RunBotOptions): Promise<RunningBot> {
  const { config, seam, log } = options;
  const signer = accountSigner(config.account, options.privateKey);
  const markets = Object.keys(config.markets);
  const loaded = await loadStrategies(config, log);
  const metrics = options.metrics ?? new Metrics();
  const network =
    options.transport ??
    new NetworkTransport({ restUrl: config.exchange.rest, streamUrl: config.exchange.stream, clock: seam.clock, connections: CONNECTIONS });
  const received = new ReceivedStamp(network, seam);
  let offsetMs = 0;
  const client = new RestClient({
    transport: network,
    signer,
    nowMs: () => seam.clock.nowMs() + offsetMs,
    timeoutMs: config.exchange.requestTimeoutMs,
  });
  try {
    const reads = new StartReads(seam.clock, log);
    offsetMs = (await reads.answerOf(() => client.time())) - seam.clock.nowMs();
    const rules = await reads.answerOf(() => client.exchangeInfo(markets));
    options.rulesRead?.(rules);
    checkOnGrid(config, rules);
    const strategies = bindStrategies(config, loaded);
    // A registration that is sent twice finds the account there.
    const registered = await reads.answerOf(() => isRegistered(client, options));
    const tap = await options.record?.({ account: signer.address, rules, registered });
    const files = strategyFiles(loaded);
    const running = assemble(
      { ...options, transport: received },
      { signer, rules, strategies, files, metrics, client, received, account: signer.address, network, registered, tap },
    );
    return await withLiquidator(options, running);
  } catch (error) {
    network.close();
    throw error;
  }
}

interface Parts {
  readonly signer: Signer;
  readonly rules: VenueRules;
  readonly strategies: ReadonlyMap<MarketId, BoundStrategy>;
  readonly files: Readonly<Record<MarketId, StrategyFile>>;
  readonly metrics: Metrics;
  readonly client: RestClient;
  readonly received: ReceivedStamp;
  readonly account: Hex;
  readonly network: Transport;
  readonly registered: boolean;
  readonly tap: SessionTap | undefined;
}

/** A bot that was put together, without a liquidator. */
export interface Assembled extends Omit<RunningBot, "liquidator"> {
  readonly onNotice: (listener: (notice: Notice) => void) => void;
}

function assemble(options: RunBotOptions & { readonly transport: Transport }, parts: Parts): Assembled {
  const { config, seam, store, log } = options;
  const { rules, account, metrics, client, registered, tap } = parts;
  const { paper } = options;
  // A paper session's orders go to its own venue: the bot works them as if they were live.
  const sendsNothing = options.dryRun === true && paper === undefined;
  if (paper !== undefined && options.dryRun !== true)
    throw new RunError("fills orders on paper", { field: "paper", expected: "a dry run, which registers and sends nothing" });
  let settle: { resolve: () => void; reject: (error: unknown) => void } = { resolve: () => {}, reject: () => {} };
  const stopped = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Whoever waits for the end hears of a failure; nobody waiting must not end the process as an unhandled rejection.
  stopped.catch(() => {});
  const monitor = new RunMonitor(metrics, log, seam.clock, () => settle.resolve());
  const listeners: ((notice: Notice) => void)[] = [];
  let bot: Bot | undefined;
  let isBroken = false;
  const guarded =
    <T extends readonly unknown[]>(run: (...args: T) => void) =>
    (...args: T): void => {
      try {
        run(...args);
      } catch (error) {
        isBroken = true;
        bot?.abandon();
        const isDry = options.dryRun === true;
        log.fatal({ error: strategyStack(error) ?? thrownText(error) }, isDry ? "the bot broke" : "the bot broke: everything is cancelled");
        if (isDry) return settle.reject(error);
        void cancelAfterBreak(client, config, seam.clock, log).finally(() => settle.reject(error));
      }
    };
  const outbox = new Outbox({ concurrency: CONNECTIONS });
  // The bot's own clock stands still between its turns; what asks here does so at any time.
  const exchangeNowMs = (): number => {
    if (bot === undefined) return seam.clock.nowMs();
    const { exchangeTime, clock } = bot.context;
    return Math.round(exchangeTime.nowMs() + seam.clock.monotonicMs() - clock.monotonicMs());
  };
  const live = new LiveVenue({
    transport: options.transport,
    seam,
    signer: parts.signer,
    markets: Object.keys(config.markets),
    exchangeNowMs,
    requestTimeoutMs: config.exchange.requestTimeoutMs,
    onWritten: (actionId) => monitor.written(actionId),
    streams: registered && paper === undefined ? true : "market",
  });
  const venue: Venue =
    paper !== undefined
      ? paper(
          live,
          { account, rules, registered },
          { levelOf: (hash) => bot?.context.account.orders.get(hash)?.level ?? -1, exchangeNowMs },
        )
      : registered
        ? live
        : new BlankAccountVenue(live, seam.clock);
  const header = {
    journal: JOURNAL_VERSION,
    account,
    config: withoutProviderKeys(config),
    rules,
    stamp: { atMs: seam.clock.nowMs(), monotonicMs: seam.clock.monotonicMs() },
    dryRun: sendsNothing,
    isPaper: paper !== undefined,
    strategies: parts.files,
    state: Object.fromEntries(STATE_FILES.flatMap((name) => (store.read(name) === undefined ? [] : [[name, store.read(name) ?? ""]]))),
  } as const;
  const journal = tellAll([
    ...(options.journal === undefined ? [] : [new JournalWriter(options.journal, header)]),
    ...(tap === undefined ? [] : [tap.turns(header)]),
  ]);
  const earlier =
    !registered || paper !== undefined
      ? undefined
      : new EarlierTrades({ store, client, clock: seam.clock, log, onAsking: () => command({ command: "asked" }) });
  bot = new Bot({
    config,
    accountAddress: account,
    rules,
    strategies: parts.strategies,
    venue,
    // A timer's fire enters the bot: what it throws must not be lost in the runtime.
    seam: { ...seam, clock: { ...bound(seam.clock), setTimer: (delayMs, fire) => seam.clock.setTimer(delayMs, guarded(fire)) } },
    store,
    outbox: { enqueue: (item) => outbox.enqueue({ ...item, leave: guarded(item.leave) }) },
    observer: (notice) => {
      monitor.observe(notice);
      if (bot !== undefined) tap?.notice(notice, bot);
      earlier?.hear(notice);
      for (const listener of listeners) listener(notice);
    },
    receivedMonotonicMs: () => parts.received.atMs,
    dryRun: sendsNothing,
    isPaper: header.isPaper,
    madeAt: header.stamp,
    ...(journal === undefined ? {} : { journal }),
  });
  monitor.attach(bot);
  earlier?.attach(bot);
  const running = bot;
  const subscription = venue.events$.subscribe(
    guarded((event) => {
      tap?.event(event);
      running.accept({ kind: "event", event });
    }),
  );
  const fail = guarded((error: unknown): void => {
    throw error;
  });
  const command = guarded((wanted: BotCommand) => running.command(wanted));
  command({ command: "start" });
  live.setRules(rules);
  return {
    onNotice: (listener) => listeners.push(listener),
    fail,
    bot,
    monitor,
    metrics,
    client,
    account,
    registered: parts.registered,
    command,
    isBroken: () => isBroken,
    stopped,
    close: () => {
      earlier?.close();
      subscription.unsubscribe();
      venue.close();
      parts.network.close();
    },
  };
}

function bound(clock: Seam["clock"]): Seam["clock"] {
  return { nowMs: () => clock.nowMs(), monotonicMs: () => clock.monotonicMs(), setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire) };
}
