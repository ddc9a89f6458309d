import type { BotConfig } from "../../bot/config/config.js";
import { GuardMonitor, isGuarded } from "../../bot/state/guard-heartbeat.js";
import type { FileStateStore } from "../../bot/state/state-dir.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Hex } from "../../core/units.js";
import type { OpenLog } from "../../monitoring/log.js";

/** The bot whose orders a guard would cancel. */
interface GuardedBot {
  readonly config: BotConfig;
  readonly dryRun: boolean;
  /** Command that starts a guard; absent if one is being started. */
  readonly guardCommand?: string;
  readonly store: FileStateStore;
  readonly account: Hex;
}

/**
 * Logs when no guard protects orders that would outlive the bot, and when one does.
 * @returns a function that stops this
 */
export function warnWithoutGuard(
  { config, dryRun, guardCommand, store, account }: GuardedBot,
  clock: Clock,
  log: OpenLog,
): () => void {
  const { timeInForce } = config.quotes;
  if (guardCommand === undefined || timeInForce === "GTT" || dryRun) return () => {};
  const { deadAfterMs } = config.guard;
  const watch = new GuardMonitor({
    clock,
    everyMs: deadAfterMs,
    isGuarded: () => isGuarded({ store, account, nowMs: clock.nowMs(), deadAfterMs }),
    onChange: (guarded) => {
      if (guarded) return log.info({}, "a guard watches this bot");
      log.warn(
        { timeInForce, command: guardCommand },
        `no guard runs: ${timeInForce} orders would outlive this bot; run it beside with: ${guardCommand}`,
      );
    },
  });
  watch.start();
  return () => watch.stop();
}
