import type { BotConfig } from "../../bot/config/config.js";
import type { NoticeRecorder } from "../../bot/notices/notice-recorder.js";
import { RetryingStore } from "../../bot/state/retrying-store.js";
import type { StateStore } from "../../bot/state/state-dir.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { OpenLog } from "../../monitoring/log.js";
import type { Metrics } from "../../monitoring/metrics.js";

/**
 * The bot's state. Writes of its repeated texts may fail for half of the time after which the guard
 * considers the bot dead. By then the bot stops properly, while it can still report the orders that
 * are left.
 * @param stop is called with the reason, once.
 */
export function createRetryingState(
  store: StateStore,
  {
    config,
    clock,
    log,
    metrics,
    notices,
  }: {
    readonly config: BotConfig;
    readonly clock: Clock;
    readonly log: OpenLog;
    readonly metrics: Metrics;
    readonly notices: NoticeRecorder | undefined;
  },
  stop: (reason: string) => void,
): StateStore {
  const { deadAfterMs, heartbeatMs } = config.guard;
  return new RetryingStore({
    store,
    clock,
    // The newest heartbeat is already one interval old when the next one fails.
    givesUpAfterMs: Math.max(0, deadAfterMs / 2 - heartbeatMs),
    onChange: ({ name, error }, isWritten) => {
      metrics.setStateUnwritten(name, !isWritten);
      notices?.record({
        atMs: clock.nowMs(),
        severity: "critical",
        kind: "state-unwritten",
        title: isWritten
          ? `the state file ${name} is written again`
          : `the state file ${name} cannot be written`,
        ...(isWritten ? {} : { text: `${messageOf(error)}; it is tried again` }),
        key: `state ${name}`,
        state: isWritten ? "off" : "on",
        endsKey: isWritten,
      });
      if (isWritten) log.info({ file: name }, "the state file is written again");
      else
        log.error(
          { file: name, error: messageOf(error) },
          "the state file cannot be written: it is tried again",
        );
    },
    onGivenUp: ({ name, error }) => {
      stop(
        `${name} cannot be written, and without a heartbeat the guard cancels after ${deadAfterMs} ms: ${messageOf(error)}`,
      );
    },
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
