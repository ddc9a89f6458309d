const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const TIME_STEPS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  SECOND,
  2 * SECOND,
  5 * SECOND,
  10 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  30 * DAY,
  90 * DAY,
  365 * DAY,
];

/** A place on an axis and what stands there. */
export interface Tick {
  readonly value: number;
  readonly text: string;
}

/** Round instants of a stretch of time, UTC, at most so many. */
export function timeTicks(fromMs: number, toMs: number, most: number): Tick[] {
  const step = TIME_STEPS.find((candidate) => (toMs - fromMs) / candidate <= most) ?? 365 * DAY;
  const ticks: Tick[] = [];
  for (let value = Math.ceil(fromMs / step) * step; value <= toMs; value += step)
    ticks.push({ value, text: shortTime(value, step) });
  return ticks;
}

function shortTime(ms: number, step: number): string {
  const iso = new Date(ms).toISOString();
  if (step >= DAY) return iso.slice(5, 10);
  if (ms % DAY === 0) return iso.slice(5, 10);
  if (step >= MINUTE) return iso.slice(11, 16);
  return step >= SECOND ? iso.slice(11, 19) : iso.slice(14, 23);
}

/** Round values of a range, at most about so many, with the range widened to them. */
export function valueTicks(
  least: number,
  greatest: number,
  most: number,
): { readonly ticks: Tick[]; readonly from: number; readonly to: number } {
  const span = greatest - least || Math.abs(greatest) * 1e-4 || 1;
  const raw = span / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
  const from = Math.floor(least / step) * step;
  const to = Math.ceil((least + span) / step) * step;
  const decimals = Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(step))));
  const ticks: Tick[] = [];
  const count = Math.round((to - from) / step);
  for (let index = 0; index <= count; index += 1) {
    const value = from + index * step;
    ticks.push({ value, text: grouped(value, decimals) });
  }
  return { ticks, from, to };
}

/** A number for an axis: no trailing zeros, thousands apart. */
function grouped(value: number, decimals: number): string {
  const rounded = Number(value.toFixed(decimals));
  return groupDigits(String(Object.is(rounded, -0) ? 0 : rounded).replace("-", "−"));
}

/** Thousands of a decimal's whole part apart by a thin space; its digits stay as they are. */
function groupDigits(decimal: string): string {
  const [whole = "", fraction] = decimal.split(".");
  const apart = whole.replace(/(\d)(?=(\d{3})+$)/g, "$1\u202f");
  return fraction === undefined ? apart : `${apart}.${fraction}`;
}

/** An exact decimal for a reader. */
export function exact(decimal: string): string {
  return groupDigits(decimal.replace("-", "−"));
}
