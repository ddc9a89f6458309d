import type { Ms } from "../core/units.js";

/** When places of a market were refused, oldest first, as far as the window reaches. Immutable. */
export interface RejectWindow {
  readonly atMs: readonly Ms[];
}

/** How far the window reaches back. */
const REJECT_WINDOW_MS: Ms = 60_000;

/** A window without a refusal. */
export const NO_REJECTS: RejectWindow = { atMs: [] };

/** The window after one more refusal at `nowMs`; what is too old is forgotten. */
export function withReject(window: RejectWindow, nowMs: Ms): RejectWindow {
  return { atMs: [...window.atMs.filter((atMs) => nowMs - atMs < REJECT_WINDOW_MS), nowMs] };
}

/** How many refusals the minute before `nowMs` holds. */
export function rejectsIn(window: RejectWindow, nowMs: Ms): number {
  let count = 0;
  for (let i = window.atMs.length - 1; i >= 0 && nowMs - (window.atMs[i] as Ms) < REJECT_WINDOW_MS; i--) count++;
  return count;
}
