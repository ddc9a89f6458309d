/** Escapes text for HTML, attributes included. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** A value as JSON that cannot end a script element. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

/** An exact decimal for display: a real minus sign, thousands separated, every digit kept. */
export function exactText(decimal: string): string {
  const [whole = "", fraction] = decimal.replace("-", "−").split(".");
  const apart = whole.replace(/(\d)(?=(\d{3})+$)/g, "$1\u202f");
  return fraction === undefined ? apart : `${apart}.${fraction}`;
}

/**
 * The same to a number of decimals, rounded half away from zero, for headlines; a table has the
 * exact text.
 */
export function roundedText(decimal: string, decimals: number): string {
  const negative = decimal.startsWith("-");
  const [whole = "0", fraction = ""] = decimal.replace("-", "").split(".");
  const kept = BigInt(whole + fraction.padEnd(decimals + 1, "0").slice(0, decimals + 1));
  const scaled = (kept + 5n) / 10n;
  const digits = scaled.toString().padStart(decimals + 1, "0");
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return exactText(negative && scaled !== 0n ? `-${text}` : text);
}

/** Money for a headline: fewer decimals for larger amounts. */
export function moneyText(decimal: string): string {
  const size = Math.abs(Number(decimal));
  return roundedText(decimal, size >= 10_000 ? 0 : size >= 1 || size === 0 ? 2 : 6);
}

/** Money with its sign, for a profit or loss. */
export function signedMoney(decimal: string): string {
  const text = moneyText(decimal);
  return /[1-9]/.test(text) && !text.startsWith("−") ? `+${text}` : text;
}

/** A share of one as a percentage. */
export function percent(share: number, decimals = 1): string {
  return `${(share * 100).toFixed(decimals).replace("-", "−")} %`;
}

/** Four significant digits, without an exponent or trailing zeros. */
export function figure(value: number): string {
  if (value === 0) return "0";
  const decimals = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value))));
  return exactText(String(Number(value.toFixed(Math.min(12, decimals)))));
}

/** A count with its thousands separated. */
export function countText(count: number): string {
  return exactText(String(count));
}

/** A count with its noun, singular or plural. */
export function countedText(count: number, one: string): string {
  return `${countText(count)} ${one}${count === 1 ? "" : "s"}`;
}

/** `up`, `down` or nothing, by the sign of a decimal. */
export function signClass(decimal: string): string {
  if (!/[1-9]/.test(decimal)) return "";
  return decimal.startsWith("-") ? "down" : "up";
}

/** A duration for display. */
export function durationText(seconds: number): string {
  if (seconds >= 2 * 86_400) return `${figure(seconds / 86_400)} days`;
  if (seconds >= 2 * 3600) return `${figure(seconds / 3600)} hours`;
  return seconds >= 120 ? `${figure(seconds / 60)} minutes` : `${figure(seconds)} seconds`;
}
