import { Session } from "node:inspector";
import type { Clock } from "../../core/runtime/seam.js";
import type { Ms } from "../../core/units.js";
import { WATCHED, type WatchdogCallbacks } from "./watchdog-memory.js";

/** Time limit of the main thread's response: a thread blocked in a system call gives none. */
const ANSWER_WITHIN_MS: Ms = 1_000;

/**
 * Runs one of the {@link WatchdogCallbacks} in the main thread, interrupting its current work. The
 * inspector is the only part of Node that can interrupt a thread which never returns to its event
 * loop.
 * @returns the callback's result; undefined if the main thread does not respond, or Node has no
 * inspector.
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
