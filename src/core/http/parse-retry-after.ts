import type { Ms } from "../units.js";

/** Unparsed time headers of a response. */
export interface ResponseTimeHeaders {
  /** `Retry-After`. */
  readonly retryAfter: string | string[] | undefined;
  /** `Date`. */
  readonly date: string | string[] | undefined;
}

/** Upper bound of a usable value: more than a hundred days. */
const MOST_MS = 9_999_999_000;
/** The only date format that is sent (RFC 9110, section 5.6.7). */
const HTTP_DATE =
  /^[A-Z][a-z]{2}, (0[1-9]|[12]\d|3[01]) ([A-Z][a-z]{2}) (\d{4}) ([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60) GMT$/;
/** In the order of a calendar that starts in March, so that a leap day is the last of its year. */
const MONTHS = ["Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb"];
const DAYS_BEFORE_1970 = 719_468;

/**
 * Parses the `Retry-After` header to milliseconds: whole seconds, as rate limits write it, or a
 * date. A date counts from the response's own `Date` header, or from `nowMs` without one. A past
 * date, and any other text, gives undefined.
 */
export function parseRetryAfterMs(
  { retryAfter, date }: ResponseTimeHeaders,
  nowMs: Ms,
): Ms | undefined {
  const text = first(retryAfter);
  if (text === undefined) return undefined;
  if (/^\d{1,7}$/.test(text)) return Number(text) * 1000;
  const untilMs = httpDateMs(text);
  if (untilMs === undefined) return undefined;
  const waitMs = untilMs - (httpDateMs(first(date)) ?? nowMs);
  return waitMs > 0 && waitMs <= MOST_MS ? waitMs : undefined;
}

function httpDateMs(text: string | undefined): Ms | undefined {
  const [, day, monthName = "", writtenYear, hours, minutes, seconds] =
    HTTP_DATE.exec(text ?? "") ?? [];
  const month = MONTHS.indexOf(monthName);
  if (month < 0) return undefined;
  const year = Number(writtenYear) - (month >= 10 ? 1 : 0);
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400);
  const days =
    365 * year + leapDays + Math.floor((153 * month + 2) / 5) + Number(day) - 1 - DAYS_BEFORE_1970;
  return (((days * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

function first(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.trim();
}
