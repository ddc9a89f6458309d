import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";

/** Resolves after the delay, or at once when it is aborted. */
export function pause(clock: Clock, delayMs: Ms, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const end = (): void => {
      timer.cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = clock.setTimer(delayMs, end);
    signal?.addEventListener("abort", end);
  });
}
