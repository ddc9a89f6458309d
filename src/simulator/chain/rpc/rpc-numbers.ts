/** The whole number that a tool meant, written as a number, as hex or in digits; null when it is none, or one beyond 2^53. */
export function secondsOf(written: unknown): number | null {
  const isText = typeof written === "string" && /^(0x[0-9a-fA-F]{1,14}|\d{1,16})$/.test(written);
  const value = typeof written === "number" || isText ? Number(written) : Number.NaN;
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}
