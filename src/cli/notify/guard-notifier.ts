import type { GuardEvent } from "../../bot/cancelling/guard.js";
import { type BotOrdersConfig, loadBotNotify } from "../../bot/config/config.js";
import {
  type AccountLock,
  type LockableAccount,
  lockAccount,
} from "../../bot/state/account-lock.js";
import { describeThrown } from "../../core/describe-thrown.js";
import type { Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { Log } from "../../monitoring/log.js";
import type { Notice } from "../../notify/notice.js";
import type { Notifier } from "../../notify/notifier.js";
import type { CliContext } from "../cli-context.js";
import { openChannels, readTotpKey } from "./open-channels.js";
import { openNotifier } from "./open-notifier.js";

/** How often a guard looks if another sender has ended. */
const TAKE_OVER_MS: Ms = 5000;

/** The guard that sends, too. */
interface GuardNotifierDeps {
  readonly context: CliContext;
  readonly config: Pick<BotOrdersConfig, "path" | "guard">;
  readonly owner: LockableAccount;
  readonly log: Log;
}

/**
 * Sends the events of the bot from the guard's process. Nothing in it keeps the guard from its
 * work: what fails is logged, and the guard goes on without it.
 */
export class GuardNotifier {
  readonly #deps: GuardNotifierDeps;
  #notifier: Notifier | undefined;
  #lock: AccountLock | undefined;
  #timer: Timer | undefined;
  #isStopped = false;
  #hasLoggedOther = false;

  constructor(deps: GuardNotifierDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { context, config, owner, log } = this.#deps;
    try {
      const notify = loadBotNotify(config.path, context.env);
      if (notify === undefined) return;
      if (!(await this.#takeLock())) return;
      const { channels, problems } = await openChannels(notify, context);
      for (const { name, error } of problems)
        log.error({ channel: name, reason: describeThrown(error) }, "a channel cannot be used");
      const notifier = openNotifier(
        context,
        {
          path: config.path,
          notify,
          stateDir: owner.stateDir,
          deadAfterMs: config.guard.deadAfterMs,
          channels,
          totpKey: readTotpKey(notify, context.env),
          afterDeath: "the guard cancels its orders",
        },
        log,
      );
      if (this.#isStopped) return;
      this.#notifier = notifier;
      notifier.start();
      log.info({ channels: [...channels.keys()] }, "the guard sends the bot's events");
    } catch (error) {
      log.error({ reason: describeThrown(error) }, "the guard cannot send the bot's events");
    }
  }

  onGuardEvent(event: GuardEvent): void {
    const notice = guardNotice(event, this.#deps.context.runtime.clock.nowMs());
    if (notice !== undefined) this.#notifier?.tell(notice);
  }

  /** @param endedPid the process that had started this one, if it has ended: `start`'s bot */
  async stop(endedPid?: number): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    try {
      await this.#notifier?.stop(endedPid);
    } finally {
      this.#lock?.release();
    }
  }

  /** False if another process sends; tries again until it has ended. */
  async #takeLock(): Promise<boolean> {
    const { context, owner, log } = this.#deps;
    try {
      this.#lock = await lockAccount(owner, "notifier");
      return true;
    } catch (error) {
      if (!this.#hasLoggedOther)
        log.info({ reason: describeThrown(error) }, "the guard does not send the bot's events");
      this.#hasLoggedOther = true;
      if (!this.#isStopped)
        this.#timer = context.runtime.clock.setTimer(TAKE_OVER_MS, () => void this.start());
      return false;
    }
  }
}

function guardNotice(event: GuardEvent, atMs: Ms): Notice | undefined {
  switch (event.kind) {
    case "safe":
      return {
        atMs,
        severity: "critical",
        kind: "guard-safe",
        title: "the guard has cancelled the dead bot's orders",
        text: "none is open in its markets, and none can arrive any more. A position stays open, and nobody manages it until the bot runs again",
      };
    case "failed":
      return {
        atMs,
        severity: "warning",
        kind: "guard-failed",
        title: `a step of the guard failed: ${event.what}`,
        text: event.message,
        key: `guard ${event.what}`,
      };
    case "bot-unseen":
      return {
        atMs,
        severity: "warning",
        kind: "bot-unseen",
        title: "a bot of the account runs, and the guard sees no heartbeat of it",
        key: "bot-unseen",
      };
    default:
      return undefined;
  }
}
