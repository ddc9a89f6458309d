import { DAY_MS } from "../../../core/units.js";
import { instantText, toDay } from "../../../history/day.js";

/** An instant in whole microseconds since 1970 as UTC with six decimals. */
export function formatInstant(atUs: number): string {
  const us = Math.round(atUs);
  const seconds = Math.floor(us / 1e6);
  return instantText(seconds * 1000).replace(
    "Z",
    `.${String(us - seconds * 1e6).padStart(6, "0")}Z`,
  );
}

/** A day as `2024-08-08` by its number since 1970. */
export function dayName(day: number): string {
  return toDay(day * DAY_MS);
}
