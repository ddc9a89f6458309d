import { Session } from "node:inspector";
import type { Clock } from "../../core/runtime/seam.js";
import type { Ms } from "../../core/units.js";
import { WATCHED, type WatchdogCallbacks } from "./watchdog-memory.js";

/** How long the main thread has for an answer: one that waits in a system call gives none. */
const ANSWER_WITHIN_MS: Ms = 1_000;

/**
 * Runs one of the {@link WatchdogCallbacks} in the main thread, in the middle of whatever that does. The inspector is the one
 * part of Node that interrupts a thread which never returns to its event loop.
 * @returns what the hook returned; undefined where the main thread does not answer, or Node has no inspector.
 */
export function interruptMainThread(
  hook: keyof WatchdogCallbacks,
  clock: Clock,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const session = new Session();
    const done = (answer: string | undefined): void => {
      timer.cancel();
      session.disconnect();
      resolve(answer);
    };
    const timer = clock.setTimer(ANSWER_WITHIN_MS, () => done(undefined));
    try {
      session.connectToMainThread();
      const expression = `globalThis.${WATCHED}?.${hook}()`;
      session.post("Runtime.evaluate", { expression, returnByValue: true }, (error, answer) => {
        const value: unknown = error === null ? answer.result.value : undefined;
        done(typeof value === "string" ? value : undefined);
      });
    } catch {
      done(undefined);
    }
  });
}
