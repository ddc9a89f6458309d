import { MarketwrightError } from "../errors.js";
import type { Ms } from "../units.js";

/**
 * Normalises a timer's delay for every clock of the runtime: a past time fires as soon as possible.
 * A delay that is not a duration is a bug of the caller, and must not fire at once.
 * @throws MarketwrightError when `delayMs` is not finite.
 */
export function toTimerDelayMs(delayMs: Ms): Ms {
  if (!Number.isFinite(delayMs)) {
    throw new MarketwrightError("not a duration", {
      field: "delayMs",
      value: delayMs,
      expected: "a finite number of milliseconds",
    });
  }
  return delayMs > 0 ? delayMs : 0;
}
