import type { Ms } from "../core/units.js";

/** `12:34:56` of the day, UTC. */
export function formatClock(atMs: Ms): string {
  const seconds = Math.floor(atMs / 1000);
  return `${twoDigits(Math.floor(seconds / 3600) % 24)}:${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}`;
}

/** A number below 100 in two digits. */
export function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
