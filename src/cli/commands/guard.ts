import { CancelBudget } from "../../bot/cancelling/cancel-budget.js";
import { Guard, type GuardEvent } from "../../bot/cancelling/guard.js";
import { HeartbeatMismatch } from "../../bot/cancelling/heartbeat-mismatch.js";
import { isLocked, type LockableAccount, lockAccount } from "../../bot/state/account-lock.js";
import { GUARD_HEARTBEAT_FILE, GuardHeartbeat } from "../../bot/state/guard-heartbeat.js";
import { FileStateStore, stateDirFor } from "../../bot/state/state-dir.js";
import { claimState, claimStateFor } from "../../bot/state/state-owner.js";
import { RunError } from "../../core/errors.js";
import type { Clock, Timer } from "../../core/runtime/runtime.js";
import { type OpenLog, openLog } from "../../monitoring/log.js";
import type { CliContext } from "../cli-context.js";
import { openBotOrders, withExchange } from "../exchange-access.js";
import { fetchGuardRules } from "../halts/guard-rules.js";
import { GuardNotifier } from "../notify/guard-notifier.js";
import { jsonText } from "../process/output.js";

export interface GuardCommandOptions {
  readonly rest?: string;
  readonly json?: boolean;
}

const SYNC_CLOCK_MS = 30_000;
/** More calls than a check, a cancel, a second check and a second cancel need. */
const CALLS_A_MARKET = 5;

/** Monitors a bot's heartbeat until a signal arrives. */
export async function guardCommand(
  context: CliContext,
  file: string,
  { rest, json }: GuardCommandOptions,
): Promise<void> {
  const { clock } = context.runtime;
  const startedBy = process.ppid;
  const interrupted = context.interrupted();
  await withExchange(openBotOrders(context, file, rest), async (access) => {
    const { config, signer, client, syncClock } = access;
    const stateDir = stateDirFor(config, signer.address);
    const owner = { account: signer.address, env: context.env, stateDir };
    const lock = await lockAccount(owner, "guard");
    const log = openLog({ level: config.logLevel, clock, fields: { process: "guard" } });
    // Before the exchange answers: a dead bot is told while the exchange is away, too.
    const sender = new GuardNotifier({ context, config, owner, log });
    void sender.start();
    const markets = Object.keys(config.markets);
    const { deadAfterMs, heartbeatMs, orderTokensFraction } = config.guard;
    const budget = new CancelBudget({ clock, fraction: orderTokensFraction });
    let isOver = false;
    let isReadingClock = false;
    const readClock = (): void => {
      if (isReadingClock) return;
      isReadingClock = true;
      budget
        .call("time", { kept: 0, isOver: () => isOver }, syncClock)
        .catch((error: unknown) => log.warn({ error }, "the exchange's clock could not be read"))
        .finally(() => {
          isReadingClock = false;
        });
    };
    const keepSynchronised = repeatedly(clock, SYNC_CLOCK_MS, () => {
      // A small or spent share is reserved for the orders: the clock is read only once a request is
      // rejected for it.
      if (budget.hasRoomFor("time", CALLS_A_MARKET * markets.length)) readClock();
    });
    try {
      const abort = new AbortController();
      const leave = interrupted.then(() => {
        isOver = true;
        abort.abort();
        return undefined;
      });
      const awaited = {
        signal: abort.signal,
        onWait: (text: string) => context.stderr.write(`marketwright: ${text}\n`),
      };
      const rules = await Promise.race([
        leave,
        fetchGuardRules(access, {
          clock,
          log,
          budget,
          isOver: () => isOver,
          exchangeWait: awaited,
        }),
      ]);
      if (rules === undefined) return;
      const unlisted = markets.filter((marketId) => rules.markets[marketId] === undefined);
      if (unlisted.length > 0)
        log.warn(
          { unlisted },
          "the exchange does not list these markets: the guard cannot see orders that are open there",
        );
      // Bot and guard that waited for the exchange claim the folder at the same time. Neither may
      // remove the other's half-written text.
      const store = new FileStateStore(stateDir, "guard.new");
      const owned = { store, directory: store.directory, account: signer.address };
      claimState(owned);
      claimStateFor(rules, owned);
      const notify = (notice: GuardEvent): void => {
        reportEvent(log, notice, store.directory);
        sender.onGuardEvent(notice);
        if (json === true) context.stdout.write(jsonText({ atMs: clock.nowMs(), ...notice }));
      };
      const guard = new Guard({
        client,
        clock,
        syncClock: readClock,
        budget,
        store,
        account: signer.address,
        markets,
        deadAfterMs,
        heartbeatMs,
        signatureWindowMs: config.exchange.signatureWindowMs,
        notify,
      });
      const unseen = new HeartbeatMismatch({
        clock,
        store,
        deadAfterMs,
        isBotRunning: () => isBotLocked(owner, log),
        onMismatch: () => notify({ kind: "bot-unseen" }),
      });
      const heartbeat = new GuardHeartbeat({
        clock,
        store,
        account: signer.address,
        everyMs: heartbeatMs,
        onFailure: (error) =>
          log.error(
            { error, file: GUARD_HEARTBEAT_FILE },
            "the guard cannot write its heartbeat for the bot, and tries again",
          ),
      });
      guard.start();
      heartbeat.start();
      unseen.start();
      const lost = new Promise<RunError>((resolve) => lock.whenLost(resolve));
      const signal = await Promise.race([interrupted, lost]);
      unseen.stop();
      heartbeat.stop();
      guard.stop();
      if (signal instanceof RunError) throw signal;
      log.info({ signal }, "the guard is stopping");
    } finally {
      keepSynchronised.cancel();
      lock.release();
      await sender.stop(process.ppid === startedBy ? undefined : startedBy);
      log.close();
    }
  });
}

/** A missing runtime folder, as after a logout, is no reason for a guard to stop. */
function isBotLocked(owner: LockableAccount, log: OpenLog): boolean {
  try {
    return isLocked(owner, "bot");
  } catch (error) {
    log.warn({ error }, "the locks of this user's bots cannot be read");
    return false;
  }
}

function reportEvent(log: OpenLog, notice: GuardEvent, directory: string): void {
  switch (notice.kind) {
    case "watching":
      return log.info({ markets: notice.markets }, "watching the bot's heartbeat");
    case "bot-back":
      return log.info({}, "the bot is back");
    case "bot-stopped":
      return log.info({}, "the bot has shut down in order");
    case "bot-unseen":
      return log.warn(
        { stateDir: directory },
        "a bot of this account runs, but writes no heartbeat to this folder. It hangs, is still starting, is a dry run, or keeps its state in another folder, where nothing guards it: start both from one file",
      );
    case "acting":
      return log.warn(
        { silentMs: notice.silentMs },
        "the bot's heartbeat has stopped: the guard cancels its orders",
      );
    case "cancelling":
      if (notice.manualIds.length > 0)
        log.warn(
          { marketId: notice.marketId, manual: notice.manualIds },
          "the guard also cancels orders that the bot did not place",
        );
      return log.warn({ marketId: notice.marketId, orders: notice.orderIds }, "cancelling");
    case "failed":
      return log.error(
        { what: notice.what, reason: notice.message },
        "a step of the guard failed, and it tries again",
      );
    case "safe":
      return log.info(
        {},
        "the account has no open orders in the bot's markets, and none can arrive any more",
      );
  }
}

function repeatedly(clock: Clock, everyMs: number, run: () => void): Timer {
  let timer = clock.setTimer(everyMs, tick);
  function tick(): void {
    run();
    timer = clock.setTimer(everyMs, tick);
  }
  return { cancel: () => timer.cancel() };
}
