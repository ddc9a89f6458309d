import type { RunningBot } from "../../bot/run/running-bot.js";
import { MarketwrightError, RunError } from "../../core/errors.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { LiveScreen } from "../../monitoring/screen/screen-driver.js";

/** The reasons to stop a bot, and its screen until then. */
interface UntilStopped {
  readonly clock: Clock;
  readonly forMs: Ms | undefined;
  readonly interrupted: Promise<string>;
  readonly screen: LiveScreen | undefined;
  /** Checked now and then: why the bot stops by itself; undefined while it goes on. */
  readonly endReason?: (() => string | undefined) | undefined;
}

/** Time between two checks for a reason to stop. */
const CHECK_EVERY_MS: Ms = 100;

/**
 * Waits until the bot has stopped: by itself, after its time or by a signal.
 * @throws RunError when it failed.
 */
export async function untilStopped(
  bot: RunningBot,
  { clock, forMs, interrupted, screen, endReason }: UntilStopped,
): Promise<void> {
  const stop = (reason: string): void => bot.command({ command: "stop", reason });
  const timer =
    forMs === undefined ? undefined : clock.setTimer(forMs, () => stop("the time is over"));
  void interrupted.then(stop);
  let check: { cancel(): void } | undefined;
  const checkAgain = (): void => {
    const reason = endReason?.();
    if (reason === undefined) check = clock.setTimer(CHECK_EVERY_MS, checkAgain);
    else stop(reason);
  };
  if (endReason !== undefined) checkAgain();
  try {
    await bot.stopped;
  } catch (cause) {
    // Our own errors contain the expected value.
    const expected =
      cause instanceof MarketwrightError
        ? {}
        : { expected: "a bot that runs without errors: see its log" };
    throw new RunError(
      `the bot failed: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        ...expected,
        cause,
      },
    );
  } finally {
    timer?.cancel();
    check?.cancel();
    screen?.stop();
  }
}
