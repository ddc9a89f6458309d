import { MarketwrightError } from "../errors.js";
import type { Ms } from "../units.js";

/**
 * A timer's delay as every clock of the seam takes it: a past instant fires as soon as it may, and a number that is no
 * duration is a defect of the caller, not a timer that fires at once.
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
