const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** An instant on an axis with marks `stepMs` apart, UTC: the day, or the time of the day. */
export function timeText(ms: number, stepMs: number): string {
  const iso = new Date(ms).toISOString();
  if (stepMs >= DAY || ms % DAY === 0) return iso.slice(5, 10);
  if (stepMs >= MINUTE) return iso.slice(11, 16);
  return stepMs >= 1000 ? iso.slice(11, 19) : iso.slice(14, 23);
}

/** A number on an axis with marks `step` apart: thousands apart, no trailing zeros. */
export function valueText(value: number, step: number): string {
  const decimals = Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(step))));
  const rounded = Number(value.toFixed(decimals));
  return exact(String(Object.is(rounded, -0) ? 0 : rounded));
}

/** A decimal for a reader: its digits are unchanged, with its whole part grouped by thousands. */
export function exact(decimal: string): string {
  const [whole = "", fraction] = decimal.replace("-", "−").split(".");
  const apart = whole.replace(/(\d)(?=(\d{3})+$)/g, "$1\u202f");
  return fraction === undefined ? apart : `${apart}.${fraction}`;
}
