import { toCivilDate } from "../core/calendar.js";
import { ConfigError } from "../core/errors.js";
import { DAY_MS, type Ms } from "../core/units.js";

/** A UTC day as `2024-08-08`. */
export type Day = string;

/** Nanoseconds per millisecond. */
export const NS_A_MS = 1_000_000n;

/** The millisecond that contains an instant in nanoseconds since the epoch. */
export function nsToMs(ns: bigint): Ms {
  return Number(ns / NS_A_MS);
}

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?Z?)?$/;

/** The UTC day that contains an instant. */
export function toDay(instantMs: Ms): Day {
  const { year, month, day } = toCivilDate(instantMs);
  return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

/** The instant at which a day begins; undefined for an invalid date. */
export function parseDayStart(day: Day): Ms | undefined {
  const match = DAY.exec(day);
  if (match === null) return undefined;
  const [year, month, date] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const shiftedYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + date - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  const startMs = (era * 146_097 + dayOfEra - 719_468) * DAY_MS;
  // `Date` turns 31 April into 1 May.
  return toDay(startMs) === day ? startMs : undefined;
}

/** The instant at which a day of the store begins. @throws ConfigError for an invalid date. */
export function requireDayStart(day: Day): Ms {
  const startMs = parseDayStart(day);
  if (startMs === undefined)
    throw new ConfigError("is not a day", {
      field: "day",
      value: day,
      expected: "a day such as 2024-08-08",
    });
  return startMs;
}

/**
 * Parses an instant of the command line: a UTC day or time, or milliseconds since the epoch.
 * @throws ConfigError for an invalid instant, or one finer than a millisecond.
 */
export function parseInstant(text: string, field: string): Ms {
  const atUs = parseInstantUs(text, field);
  if (atUs % 1000 !== 0)
    throw noInstant(text, field, "whole milliseconds, such as 2024-08-08T12:30:00.250Z");
  return atUs / 1000;
}

/**
 * Parses an instant to the microsecond, as reports write it. Returns microseconds since the epoch.
 * @throws ConfigError for an invalid instant.
 */
export function parseInstantUs(text: string, field: string): number {
  if (/^\d{12,14}$/.test(text)) return Number(text) * 1000;
  const match = INSTANT.exec(text);
  const startMs = match === null ? undefined : parseDayStart(match[1] as string);
  const [hours, minutes, seconds] = [
    Number(match?.[2] ?? 0),
    Number(match?.[3] ?? 0),
    Number(match?.[4] ?? 0),
  ];
  if (startMs === undefined || hours > 23 || minutes > 59 || seconds > 59) {
    throw noInstant(
      text,
      field,
      "a UTC day or time, such as 2024-08-08 or 2024-08-08T12:30:00Z, or milliseconds since 1970",
    );
  }
  return (
    (startMs + ((hours * 60 + minutes) * 60 + seconds) * 1000) * 1000 +
    Number((match?.[5] ?? "").padEnd(6, "0"))
  );
}

function noInstant(value: string, field: string, expected: string): ConfigError {
  return new ConfigError("is not a time", { field, value, expected });
}

/** An instant in readable form, UTC to the millisecond. */
export function instantText(instantMs: Ms): string {
  const inDay = instantMs - Math.floor(instantMs / DAY_MS) * DAY_MS;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  const clock = `${two(inDay / 3_600_000)}:${two((inDay / 60_000) % 60)}:${two((inDay / 1000) % 60)}`;
  const rest = inDay % 1000;
  return `${toDay(instantMs)}T${clock}${rest === 0 ? "" : `.${String(rest).padStart(3, "0")}`}Z`;
}
