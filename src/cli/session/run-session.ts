import { resolve } from "node:path";
import type { PaperModels } from "../../backtest/paper/paper-venue.js";
import { createAccountSigner, readAccountKey } from "../../bot/config/account-key.js";
import type { BotConfig } from "../../bot/config/config.js";
import type { Bot } from "../../bot/engine/bot.js";
import type { BotEvent } from "../../bot/engine/bot-event.js";
import { warnOfImplausibleValues } from "../../bot/explain/explain.js";
import { JournalFile, renameEarlierJournal } from "../../bot/journal/journal-file.js";
import { NoticeRecorder } from "../../bot/notices/notice-recorder.js";
import type { ChainAccess } from "../../bot/run/chain-access.js";
import { readRpcUrls } from "../../bot/run/chain-access.js";
import { openHedgeVenues } from "../../bot/run/hedge/open-hedge-venues.js";
import { buildRunSummary, type RunSummary } from "../../bot/run/monitor/run-summary.js";
import { usesFeed } from "../../bot/run/references/prepare-sources.js";
import { startBot } from "../../bot/run/run-bot.js";
import type { RunningBot } from "../../bot/run/running-bot.js";
import type { VenueDecorator } from "../../bot/run/session-listener.js";
import { lockAccount } from "../../bot/state/account-lock.js";
import { DryRunStateStore } from "../../bot/state/dry-run-state-store.js";
import { addRunningBotEntry } from "../../bot/state/running-bots.js";
import { FileStateStore, MemoryStateStore, stateDirFor } from "../../bot/state/state-dir.js";
import { claimState, claimStateFor } from "../../bot/state/state-owner.js";
import { toUncaughtStrategyError } from "../../bot/strategy/uncaught-strategy-error.js";
import { FileTransactionStore } from "../../chain/transactions/store/file-transaction-store.js";
import { TRANSACTIONS_FILE } from "../../chain/transactions/store/transaction-store.js";
import { initCrypto, nativeBindingError } from "../../core/crypto/signing.js";
import { describeThrown } from "../../core/describe-thrown.js";
import { ConfigError } from "../../core/errors.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import { type OpenLog, openLog } from "../../monitoring/log.js";
import { Metrics } from "../../monitoring/metrics.js";
import { detectScreenSupport } from "../../monitoring/screen/screen-driver.js";
import type { CliContext } from "../cli-context.js";
import { nameExchangeInErrors } from "../exchange-access.js";
import { warnWithoutSender } from "../notify/warn-without-sender.js";
import { untilInterrupted } from "../process/until-interrupted.js";
import { type Companions, watchCompanions } from "./companion.js";
import type { HedgesLeft } from "./hedges-left-lines.js";
import { ordersLeftText } from "./report-run-end.js";
import { createRetryingState } from "./retrying-state.js";
import { serveMetrics } from "./serve-metrics.js";
import { openSessionCockpit } from "./session-cockpit.js";
import { startSessionControl } from "./session-control.js";
import { openSessionDays } from "./session-days.js";
import { openSessionRecorder } from "./session-recorder.js";
import { openSessionScreen } from "./session-screen.js";
import { untilStopped } from "./until-stopped.js";
import { warnWithoutGuard } from "./warn-without-guard.js";

/** Options of a bot's run from the command line. */
interface SessionOptions extends Companions {
  readonly config: BotConfig;
  /** Stops by itself after this time. */
  readonly forMs?: Ms | undefined;
  readonly dryRun: boolean;
  /** True for a live screen, if the terminal supports it. */
  readonly screen: boolean;
  /**
   * Command that starts a guard, for the warning when none runs; absent if one is being started.
   */
  readonly guardCommand?: string;
  /** Command that starts a sender of the bot's events, for the same; absent likewise. */
  readonly notifyCommand?: string;
  /** Command that cancels the orders left by an immediate exit. */
  readonly cancelCommand: string;
  readonly journalPath?: string | undefined;
  /** Models of latency and fills of a dry run's orders; a dry run without it fills nothing. */
  readonly paper?: PaperModels | undefined;
  /** Called with every event of the bot. It only observes. */
  readonly onBotEvent?: ((event: BotEvent, bot: Bot) => void) | undefined;
  /** Why a bot stops by itself before its time; undefined while it goes on. */
  readonly endReason?: ((bot: Bot) => string | undefined) | undefined;
  /** Called when the bot has stopped, before it is released. */
  readonly onStopped?: ((bot: Bot) => void) | undefined;
  /** Folder for a recording of the session. */
  readonly recordFolder?: string | undefined;
}

/**
 * Runs a bot from its start to its end, with lock, state, log, metrics, control socket and screen,
 * and releases all of them.
 * @throws ConfigError, RunError or CorruptStateError when it cannot start; RunError when it failed.
 */
export async function runSession(
  context: CliContext,
  options: SessionOptions,
): Promise<RunSummary> {
  const cleanup: (() => void | Promise<void>)[] = [];
  const thrown: unknown[] = [];
  const tried = async <Value>(what: () => Value | Promise<Value>): Promise<Value | undefined> => {
    try {
      return await what();
    } catch (error) {
      thrown.push(error);
      return undefined;
    }
  };
  const summary = await tried(() => session(context, options, cleanup));
  // All of them: a remaining lock or server would keep the process alive, and block the bot that is
  // started in its place.
  for (const undo of cleanup.reverse()) await tried(undo);
  if (summary === undefined || thrown.length > 0) throw thrown[0];
  return summary;
}

async function session(
  context: CliContext,
  options: SessionOptions,
  cleanup: (() => void | Promise<void>)[],
): Promise<RunSummary> {
  const { config, dryRun, recordFolder, paper } = options;
  const { env, runtime } = context;
  const privateKey = readAccountKey(config.account, env);
  const account = createAccountSigner(config.account, privateKey).address;
  const support = detectScreenSupport(context.stdout, env);
  const withScreen = options.screen && support.screen;

  const stateDir = stateDirFor(config, account);
  const lock = await lockAccount({ account, env, stateDir });
  cleanup.push(() => lock.release());
  const store = new FileStateStore(stateDir);
  cleanup.push(() => store.close());
  const owned = { store, directory: store.directory, account };
  claimState(owned);
  const log = openLog({
    level: config.logLevel,
    clock: runtime.clock,
    ...(withScreen ? { file: store.pathFor("bot.log") } : {}),
  });
  cleanup.push(() => log.close());
  if (store.wasOpen)
    log.warn(
      { folder: store.directory },
      "other users could write to the state folder: its mode is 0700 now",
    );
  await announceCrypto(log);
  const watchdog = context.watchLoop?.({
    stallMs: config.guard.deadAfterMs,
    markets: Object.entries(config.markets).map(([marketId, { strategy }]) => ({
      marketId,
      strategy,
    })),
    logFile: withScreen ? log.destination : undefined,
    path: config.path,
    orders: dryRun ? undefined : { config, privateKey, account },
  });
  if (watchdog !== undefined) cleanup.push(() => watchdog.stop());

  let running: RunningBot | undefined;
  const metrics = new Metrics().withProcessMetrics();
  cleanup.push(await serveMetrics(config, metrics, () => running, log));
  const journal =
    options.journalPath === undefined
      ? undefined
      : openJournal(options.journalPath, runtime.clock, log);
  if (journal !== undefined) cleanup.push(() => journal.close());
  // Registered before the bot starts, so that a signal meanwhile is not lost.
  const interrupted = context.interrupted();

  // Everything that may fail comes before the bot: once it quotes, only its own shutdown may end
  // it.
  const state = dryRun ? new DryRunStateStore(store) : store;
  const cockpit = await openSessionCockpit(context, config, log);
  cleanup.push(() => cockpit.stop());
  const control = await startSessionControl(context, {
    config,
    account,
    state,
    directory: store.directory,
    log,
    dryRun,
    running: () => running,
    cockpitLink: () => cockpit.link(),
  });
  cleanup.push(() => control.server.close());
  const entry = {
    pid: process.pid,
    config: config.path,
    account,
    socketPath: control.server.socketPath,
  };
  const entered = { directory: resolve(store.directory), markets: Object.keys(config.markets) };
  cleanup.push(addRunningBotEntry(dryRun ? entry : { ...entry, state: entered }, env));
  cleanup.push(warnWithoutGuard({ ...options, store, account }, runtime.clock, log));
  cleanup.push(warnWithoutSender({ ...options, store }, runtime.clock, log));
  const notices =
    config.notify === undefined || dryRun
      ? undefined
      : new NoticeRecorder({
          notify: config.notify,
          directory: store.directory,
          clock: runtime.clock,
          log,
        });
  if (notices !== undefined) cleanup.push(() => notices.close());

  const chain = chainAccessOf(config, store, env);
  const recorder =
    recordFolder === undefined
      ? undefined
      : await openSessionRecorder({
          folder: recordFolder,
          config,
          dryRun,
          paper,
          runtime,
          log,
        });
  if (recorder !== undefined) cleanup.push(recorder.abandon);
  // A strategy's own timers and promises run outside the bot. Their errors must not leave its
  // orders behind, so from its first order on the bot shuts down.
  const strays: unknown[] = [];
  const quiet = context.onUncaught?.((error, how) => {
    const stray = toUncaughtStrategyError(error, how) ?? error;
    if (running === undefined) strays.push(stray);
    else running.fail(stray);
    return true;
  });
  if (quiet !== undefined) cleanup.push(quiet);
  let fault: string | undefined;
  const kept = createRetryingState(
    state,
    { config, clock: runtime.clock, log, metrics, notices },
    (reason) => {
      fault = reason;
      running?.command({ command: "stop", reason });
    },
  );
  lock.whenLost(({ message }) => {
    fault = message;
    running?.command({ command: "stop", reason: message });
  });
  // A dry run trades nothing: the account's record is that of the bot that does.
  const days = dryRun
    ? undefined
    : openSessionDays(config, store.directory, runtime.clock, log, notices);
  if (days !== undefined) cleanup.push(() => days.close());
  const between =
    paper === undefined ? undefined : await createPaperDecorator(config, paper, runtime.clock);
  const start = (signal: AbortSignal) =>
    startBot({
      exchangeWait: {
        signal,
        onWait: (sentence) => context.stderr.write(`marketwright: ${sentence}\n`),
      },
      config,
      privateKey,
      runtime,
      // A paper session does not change the account's state.
      store: paper === undefined ? kept : new MemoryStateStore(),
      log,
      metrics,
      dryRun,
      ...(paper === undefined ? { onRules: (rules) => claimStateFor(rules, owned) } : {}),
      paper: between,
      chain,
      journal,
      ...(watchdog === undefined ? {} : { onStrategyCall: watchdog.onStrategyCall }),
      record: recorder?.record,
      notices,
      onBotEvent: options.onBotEvent,
      dayRecorder: days?.recorder,
      openHedgeVenues: (account, rules) =>
        openHedgeVenues({ config, env, runtime, account, rules }),
    });
  // A bot that liquidates already quotes while its start still reads the chain.
  if (!dryRun) {
    const left = (): string =>
      ordersLeftText(
        running === undefined || running.hasFailed()
          ? undefined
          : running.bot.context.account.orders.unresolved(),
        options.cancelCommand,
        running === undefined ? {} : hedgesLeftBy(running),
      );
    context.setExitNote?.(left);
    cleanup.push(() => context.setExitNote?.(undefined));
  }
  const bot = await untilInterrupted(context, "no order was placed", (signal) =>
    nameExchangeInErrors(config.exchange.rest, () => start(signal)),
  );
  running = bot;
  if (notices !== undefined) recordRun(notices, bot, runtime.clock);
  for (const command of control.earlyHalts) bot.command(command);
  for (const error of strays) bot.fail(error);
  if (fault !== undefined) bot.command({ command: "stop", reason: fault });
  cleanup.push(() => bot.close());
  cleanup.push(watchCompanions(options, log));
  cleanup.push(warnOfImplausibleValues(bot, runtime.clock, log));

  const screen = withScreen
    ? openSessionScreen(context, {
        running: bot,
        handle: control.handle,
        logFile: log.destination,
        color: support.color,
        cockpit,
      })
    : undefined;
  if (screen !== undefined) {
    cleanup.push(() => screen.stop());
    watchdog?.showStalls(screen);
  }
  const { forMs } = options;
  if (forMs !== undefined) watchdog?.endsIn(forMs);
  const { endReason, onStopped } = options;
  await untilStopped(bot, {
    clock: runtime.clock,
    forMs,
    interrupted,
    screen,
    endReason: endReason === undefined ? undefined : () => endReason(bot.bot),
  });
  onStopped?.(bot.bot);
  await recorder?.close();
  return {
    ...summaryOfRun(bot),
    ...(paper === undefined ? {} : { paper }),
    ...(fault === undefined ? {} : { fault }),
  };
}

/** Records the start of a run, and its failure; its orderly end is an event of the bot. */
function recordRun(notices: NoticeRecorder, bot: RunningBot, clock: Clock): void {
  const about = { kind: "run" } as const;
  notices.record({ ...about, atMs: clock.nowMs(), severity: "info", title: "the bot runs" });
  bot.stopped.catch((error: unknown) =>
    notices.record({
      ...about,
      atMs: clock.nowMs(),
      severity: "critical",
      title: "the bot failed, and cancels its orders",
      text: describeThrown(error),
    }),
  );
}

function hedgesLeftBy({ bot }: RunningBot): HedgesLeft {
  const { hedgesLeft, unsettled } = bot.context.hedges;
  return { hedgesLeft, unsettledHedges: unsettled };
}

function summaryOfRun({ bot, monitor, liquidator }: RunningBot): RunSummary {
  const { firstQuoteAtMs } = monitor;
  // The live runtime's monotonic clock starts with the process.
  const secondsToFirstQuote =
    firstQuoteAtMs === undefined ? null : Math.round(firstQuoteAtMs) / 1000;
  return buildRunSummary(bot, monitor, secondsToFirstQuote, liquidator?.ledger.counts());
}

/**
 * The chain of a bot that liquidates or reads price feeds; its pending transactions are in the
 * state directory.
 * @throws ConfigError for a missing address.
 */
function chainAccessOf(
  config: BotConfig,
  store: FileStateStore,
  env: CliContext["env"],
): ChainAccess | undefined {
  const { chain, liquidator } = config;
  if (chain === undefined || (liquidator === undefined && !usesFeed(config))) return undefined;
  return {
    rpcs: readRpcUrls(chain, env),
    laneStore: (owner) => new FileTransactionStore(store.pathFor(TRANSACTIONS_FILE), owner),
  };
}

/**
 * Creates the venue of a paper session. It loads the backtest's exchange, which other runs need not
 * wait for.
 */
async function createPaperDecorator(
  config: BotConfig,
  models: PaperModels,
  clock: Clock,
): Promise<VenueDecorator> {
  const { PaperVenue } = await import("../../backtest/paper/paper-venue.js");
  return (live, { rules }, bot) => new PaperVenue({ live, config, rules, models, clock, ...bot });
}

async function announceCrypto(log: OpenLog): Promise<void> {
  const { keccak, signing } = await initCrypto();
  if (signing === "native") log.debug({ keccak, signing }, "hashing and signing are ready");
  else
    log.warn(
      { keccak, signing, error: nativeBindingError() },
      "the native secp256k1 did not load: signing is about ten times slower",
    );
}

function openJournal(path: string, clock: Clock, log: OpenLog): JournalFile {
  try {
    const kept = renameEarlierJournal(path);
    if (kept !== undefined)
      log.info({ kept }, "the journal of an earlier run is kept beside this one");
    return new JournalFile(path, clock);
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError("cannot be written", {
      field: "--journal",
      value: path,
      expected: "the path of a file in a folder that exists",
      cause,
    });
  }
}
