import type { Ms } from "../core/units.js";

/** Times of the events within the window, oldest first. Immutable. */
export interface MinuteWindow {
  readonly atMs: readonly Ms[];
}

/** Length of the window. */
const WINDOW_MS: Ms = 60_000;

/** A window without events. */
export const EMPTY_MINUTE: MinuteWindow = { atMs: [] };

/** The window after one more event at `nowMs`, without events that are too old. */
export function addEvent(window: MinuteWindow, nowMs: Ms): MinuteWindow {
  return { atMs: [...window.atMs.filter((atMs) => nowMs - atMs < WINDOW_MS), nowMs] };
}

/** The number of events in the minute before `nowMs`. */
export function countEvents(window: MinuteWindow, nowMs: Ms): number {
  let count = 0;
  for (let i = window.atMs.length - 1; i >= 0 && nowMs - (window.atMs[i] as Ms) < WINDOW_MS; i--)
    count++;
  return count;
}
