import { Decimal } from "decimal.js";

/** Digits of a price that the exchange computed, such as the average of an entry. */
const PRICE_DIGITS = 9;

/** Formats a decimal string of base with its sign and asset, such as `+0.12 BTC`. */
export function formatBase(amount: string, asset: string | null): string {
  return `${withSign(amount)} ${asset ?? "base"}`;
}

/**
 * Formats a decimal string of quote with two decimals, and one below a hundredth with two
 * significant digits. An unknown one is `unknown`.
 */
export function formatQuote(amount: string | null | undefined, asset?: string | null): string {
  if (amount === null || amount === undefined) return "unknown";
  return asset === undefined ? rounded(amount) : `${rounded(amount)} ${asset ?? "quote"}`;
}

/** The same with a plus sign above zero. */
export function formatSignedQuote(
  amount: string | null | undefined,
  asset?: string | null,
): string {
  const text = formatQuote(amount, asset);
  return amount === null || amount === undefined ? text : withSign(text);
}

/** Formats an average price. */
export function formatAveragePrice(price: string | null): string {
  return price === null
    ? "unknown"
    : new Decimal(price).toSignificantDigits(PRICE_DIGITS).toFixed();
}

function rounded(amount: string): string {
  const value = new Decimal(amount);
  if (value.isZero() || value.abs().gte(0.01)) return value.toFixed(2);
  return value.toSignificantDigits(2).toFixed();
}

function withSign(text: string): string {
  return text.startsWith("-") || /^0*(\.0*)?( |$)/.test(text) ? text : `+${text}`;
}
