import type { Lots, Ms } from "../core/units.js";
import type { Trajectory } from "../strategies/intent.js";

/** How many lots the trajectories still allow to be held at `nowMs`, together. */
export function allowedLots(parts: readonly Trajectory[], nowMs: Ms): Lots {
  return parts.reduce((sum, part) => sum + part.holdLots[stepAt(part, nowMs)], 0);
}

/** When the trajectories next allow less; undefined when they allow nothing any more. */
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

/** 0 before taking begins; the first step begins just then. */
function stepAt({ takingFromMs, stepMs, holdLots }: Trajectory, nowMs: Ms): number {
  if (nowMs < takingFromMs) return 0;
  return Math.min(holdLots.length - 1, 1 + Math.floor((nowMs - takingFromMs) / stepMs));
}
