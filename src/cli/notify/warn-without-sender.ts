import type { BotConfig } from "../../bot/config/config.js";
import { GuardMonitor } from "../../bot/state/guard-heartbeat.js";
import type { FileStateStore } from "../../bot/state/state-dir.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { OpenLog } from "../../monitoring/log.js";
import { isSenderAlive, NOTIFIER_FILE } from "../../notify/notifier-state.js";

const CHECK_EVERY_MS: Ms = 10_000;

/** The bot whose events would be sent. */
interface NotifyingBot {
  readonly config: Pick<BotConfig, "notify">;
  readonly dryRun: boolean;
  /** Command that starts a sender; absent if one is being started. */
  readonly notifyCommand?: string | undefined;
  readonly store: FileStateStore;
}

/**
 * Logs when the file names channels and no process sends to them, and when one does.
 * @returns a function that stops this
 */
export function warnWithoutSender(
  { config, dryRun, notifyCommand, store }: NotifyingBot,
  clock: Clock,
  log: OpenLog,
): () => void {
  if (config.notify === undefined || notifyCommand === undefined || dryRun) return () => {};
  const watch = new GuardMonitor({
    clock,
    everyMs: CHECK_EVERY_MS,
    isGuarded: () => isAlive(store, clock),
    onChange: (alive) => {
      if (alive) return log.info({}, "a process sends the bot's events");
      log.warn(
        { command: notifyCommand },
        `nothing sends the bot's events: run a guard beside it, or: ${notifyCommand}`,
      );
    },
  });
  watch.start();
  return () => watch.stop();
}

function isAlive(store: FileStateStore, clock: Clock): boolean {
  try {
    return isSenderAlive(store.read(NOTIFIER_FILE), clock.nowMs());
  } catch {
    // A file that cannot be read shows no sender.
    return false;
  }
}
