import type { Ms } from "../core/units.js";

/** When something happened, oldest first, as far as the window reaches. Immutable. */
export interface MinuteWindow {
  readonly atMs: readonly Ms[];
}

/** How far the window reaches back. */
const WINDOW_MS: Ms = 60_000;

/** A window in which nothing has happened. */
export const EMPTY_MINUTE: MinuteWindow = { atMs: [] };

/** The window after one more event at `nowMs`; what is too old is forgotten. */
export function addEvent(window: MinuteWindow, nowMs: Ms): MinuteWindow {
  return { atMs: [...window.atMs.filter((atMs) => nowMs - atMs < WINDOW_MS), nowMs] };
}

/** How many events the minute before `nowMs` holds. */
export function countEvents(window: MinuteWindow, nowMs: Ms): number {
  let count = 0;
  for (let i = window.atMs.length - 1; i >= 0 && nowMs - (window.atMs[i] as Ms) < WINDOW_MS; i--)
    count++;
  return count;
}
