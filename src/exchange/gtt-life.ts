import type { Ms } from "../core/units.js";

const MINUTE_MS = 60_000;
const WEEK_MS = 604_800_000;

/** Whether a GTT order may live for so long from when the exchange takes it: more than a minute, less than seven days (specification, "Rules", 2). */
export function isGttLife(lifeMs: Ms): boolean {
  return lifeMs > MINUTE_MS && lifeMs < WEEK_MS;
}
