/**
 * Parses a whole number that a tool wrote as a number, in hex or in digits; null if it is not one,
 * or is beyond 2^53.
 */
export function secondsOf(written: unknown): number | null {
  const isText = typeof written === "string" && /^(0x[0-9a-fA-F]{1,14}|\d{1,16})$/.test(written);
  const value = typeof written === "number" || isText ? Number(written) : Number.NaN;
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}
