import { exact } from "../chart/axis-text.js";

const NONE = "–";

/** A decimal with every digit; a dash if it is not known. */
export function decimalText(decimal: string | null | undefined): string {
  return decimal == null ? NONE : exact(decimal);
}

/** A decimal with at least the decimals of its step, so that the figures of a column align. */
export function alignedText(decimal: string | null | undefined, step: string): string {
  if (decimal == null) return NONE;
  const missing = decimalsOf(step) - (decimal.split(".")[1]?.length ?? 0);
  if (missing <= 0) return exact(decimal);
  return exact(`${decimal}${decimal.includes(".") ? "" : "."}${"0".repeat(missing)}`);
}

/** A decimal with its sign, also above zero: a change or a profit. */
export function signedText(decimal: string | null | undefined): string {
  if (decimal == null) return NONE;
  return signOf(decimal) > 0 ? `+${exact(decimal)}` : exact(decimal);
}

/** -1, 0 or 1, from the digits alone. */
export function signOf(decimal: string): -1 | 0 | 1 {
  if (!/[1-9]/.test(decimal)) return 0;
  return decimal.startsWith("-") ? -1 : 1;
}

/** A decimal without its minus. */
export function unsigned(decimal: string): string {
  return decimal.replace(/^-/, "");
}

/** The same decimal with its sign turned, digit for digit. */
export function negative(decimal: string): string {
  if (signOf(decimal) === 0) return decimal;
  return decimal.startsWith("-") ? decimal.slice(1) : `-${decimal}`;
}

/** A plain number with a fixed count of decimals; a dash if it is not known. */
export function numberText(value: number | null | undefined, decimals: number): string {
  return value == null || !Number.isFinite(value) ? NONE : exact(value.toFixed(decimals));
}

/** A plain number with its sign, also above zero. */
export function signedNumberText(value: number | null | undefined, decimals: number): string {
  const text = numberText(value, decimals);
  if (value == null || !/[1-9]/.test(text)) return text.replace("−", "");
  return value > 0 ? `+${text}` : text;
}

/** A share from 0 to 1 in percent. */
export function percentText(share: number | null | undefined): string {
  return share == null ? NONE : `${numberText(100 * share, 1)} %`;
}

/** A duration for a reader: the two largest units. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 1) return `${Math.round(Math.max(0, ms))} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A time of the day, UTC as on the axes of the charts. */
export function clockText(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}

/** `1 order`, `2 orders`. */
export function countText(count: number, noun: string): string {
  return `${exact(String(count))} ${noun}${count === 1 ? "" : "s"}`;
}

/** Names in a sentence: `a`, `a and b`, `a, b and c`. */
export function listText(names: readonly string[]): string {
  if (names.length < 2) return names[0] ?? "";
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** The last part of a path without its ending: the name that a desk gives a bot. */
export function botName(config: string): string {
  const last = config.split(/[/\\]/).at(-1) ?? config;
  return last.replace(/\.ya?ml$/, "");
}

/** An address short enough for a line. */
export function shortAddress(address: string): string {
  return address.length > 14 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address;
}

/** The decimals of a step such as `0.01`: 2. */
export function decimalsOf(step: string): number {
  return step.split(".")[1]?.replace(/0+$/, "").length ?? 0;
}
