import { maskSecrets } from "./crypto/secrets.js";

/** What a typed error carries: which field was wrong, what it held, and what would be right. */
export interface ErrorDetail {
  /** The offending field, as a path a user can find: `markets.btcusdc.limits.maxOrderBase`. */
  readonly field?: string;
  readonly value?: unknown;
  /** What would have been right, in words. */
  readonly expected?: string;
  readonly cause?: unknown;
}

/** The base of every error that this project throws on purpose. */
export class MarketwrightError extends Error {
  readonly field: string | undefined;
  readonly value: unknown;
  readonly expected: string | undefined;

  constructor(summary: string, detail: ErrorDetail = {}) {
    super(
      sentence(summary, detail),
      detail.cause === undefined ? undefined : { cause: detail.cause },
    );
    this.name = new.target.name;
    this.field = detail.field;
    this.value = detail.value;
    this.expected = detail.expected;
  }
}

/** Wrong usage or configuration: the process ends with exit code 2. */
export class ConfigError extends MarketwrightError {}

/** A failure at run time that ends the process with exit code 1. */
export class RunError extends MarketwrightError {}

/** A number, string or frame that is not what its type says. */
export class FormatError extends MarketwrightError {}

function sentence(summary: string, { field, value, expected }: ErrorDetail): string {
  const where = field === undefined ? "" : `${field}: `;
  const got = value === undefined ? "" : ` (got ${formatErrorValue(value)})`;
  const want = expected === undefined ? "" : `; expected ${expected}`;
  return `${where}${summary}${got}${want}`;
}

/** A value in words: as JSON where it has one, and of a long one its beginning. */
export function formatErrorValue(value: unknown): string {
  // Masked before it is cut: half a secret is not recognised any more.
  const text = maskSecrets(
    typeof value === "string" || typeof value === "object" ? jsonOf(value) : String(value),
  );
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

/** Of every value: an error that cannot be said would hide what it is about. */
function jsonOf(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_key, held: unknown) =>
        typeof held === "bigint" ? String(held) : held,
      ) ?? "nothing"
    );
  } catch {
    // It holds itself.
    return Object.prototype.toString.call(value);
  }
}
