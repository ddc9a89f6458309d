import type { Lots, Ms } from "../core/units.js";
import type { Trajectory } from "../strategies/intent.js";

/** The total lots that the trajectories still allow to be held at `nowMs`. */
export function allowedLots(parts: readonly Trajectory[], nowMs: Ms): Lots {
  return parts.reduce((sum, part) => sum + part.holdLots[stepAt(part, nowMs)], 0);
}

/** Time of the next reduction in the allowed lots; undefined if there is none. */
export function nextStepAtMs(parts: readonly Trajectory[], nowMs: Ms): Ms | undefined {
  let next: Ms | undefined;
  for (const part of parts) {
    const step = stepAt(part, nowMs);
    if (step === part.holdLots.length - 1) continue;
    const atMs = Math.ceil(part.takingFromMs + step * part.stepMs);
    next = next === undefined ? atMs : Math.min(next, atMs);
  }
  return next;
}

/**
 * Index of the step at `nowMs`: 0 before taking begins, which is also the start of the first step.
 */
function stepAt({ takingFromMs, stepMs, holdLots }: Trajectory, nowMs: Ms): number {
  if (nowMs < takingFromMs) return 0;
  return Math.min(holdLots.length - 1, 1 + Math.floor((nowMs - takingFromMs) / stepMs));
}
