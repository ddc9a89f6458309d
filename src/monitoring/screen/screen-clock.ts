import type { Ms } from "../../core/units.js";

/** Formats the time of day in UTC as `12:34:56`. */
export function formatClock(atMs: Ms): string {
  const seconds = Math.floor(atMs / 1000);
  return `${twoDigits(Math.floor(seconds / 3600) % 24)}:${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}`;
}

/** Formats a number below 100 with two digits. */
export function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
