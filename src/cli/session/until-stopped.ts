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
}

/**
 * Waits until the bot has stopped: by itself, after its time or by a signal.
 * @throws RunError when it failed.
 */
export async function untilStopped(
  bot: RunningBot,
  { clock, forMs, interrupted, screen }: UntilStopped,
): Promise<void> {
  const stop = (reason: string): void => bot.command({ command: "stop", reason });
  const timer =
    forMs === undefined ? undefined : clock.setTimer(forMs, () => stop("the time is over"));
  void interrupted.then(stop);
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
    screen?.stop();
  }
}
