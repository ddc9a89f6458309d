import type { Ms } from "../core/units.js";

/** The `Retry-After` header in milliseconds: whole seconds, as rate limits write it. A date, or nothing, is undefined. */
export function retryAfterMs(header: string | string[] | undefined): Ms | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  return text !== undefined && /^\d{1,7}$/.test(text) ? Number(text) * 1000 : undefined;
}
