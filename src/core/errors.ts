import { maskSecrets } from "./crypto/secrets.js";

/** Details of a typed error: the wrong field, its value, and the expected value. */
export interface ErrorDetail {
  /** The offending field, as a path a user can find: `markets.btcusdc.limits.maxOrderBase`. */
  readonly field?: string;
  readonly value?: unknown;
  /** The expected value, as text. */
  readonly expected?: string;
  readonly cause?: unknown;
}

/**
 * Base class of every error that this project throws on purpose.
 * @example
 * ```ts
 * import { ConfigError, MarketwrightError } from "marketwright";
 *
 * const error = new ConfigError("no such market", { field: "marketId", value: "btcusd" });
 * error instanceof MarketwrightError; // => true
 * error.message; // => 'marketId: no such market (got "btcusd")'
 * ```
 */
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

/**
 * Wrong usage or configuration: the process ends with exit code 2.
 * @example
 * ```ts
 * import { ConfigError } from "marketwright";
 *
 * const error = new ConfigError("the spread is negative", {
 *   field: "markets.btcusdc.params.halfSpreadBps",
 *   value: -3,
 *   expected: "a number above 0, in basis points",
 * });
 * error.field; // => "markets.btcusdc.params.halfSpreadBps"
 * error.value; // => -3
 * ```
 */
export class ConfigError extends MarketwrightError {}

/**
 * A failure at run time that ends the process with exit code 1.
 * @example
 * ```ts
 * import { MarketwrightError, RunError } from "marketwright";
 *
 * const error = new RunError("the exchange does not answer", { expected: "an answer within 5 s" });
 * error instanceof MarketwrightError; // => true
 * error.message; // => "the exchange does not answer; expected an answer within 5 s"
 * ```
 */
export class RunError extends MarketwrightError {}

/**
 * A number, string or frame that does not match its type.
 * @example
 * ```ts
 * import { FormatError } from "marketwright";
 * import { toDecimal } from "marketwright/exchange";
 *
 * try {
 *   toDecimal("1e5", "price");
 * } catch (error) {
 *   error instanceof FormatError && error.field; // => "price"
 * }
 * ```
 */
export class FormatError extends MarketwrightError {}

function sentence(summary: string, { field, value, expected }: ErrorDetail): string {
  const where = field === undefined ? "" : `${field}: `;
  const got = value === undefined ? "" : ` (got ${formatErrorValue(value)})`;
  const want = expected === undefined ? "" : `; expected ${expected}`;
  return `${where}${summary}${got}${want}`;
}

/** Formats a value for an error: as JSON if possible, and shortened if long. */
export function formatErrorValue(value: unknown): string {
  // Masked before it is cut: half a secret would not be recognised.
  const text = maskSecrets(
    typeof value === "string" || typeof value === "object" ? jsonOf(value) : String(value),
  );
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

/** Accepts every value: an error without a message would hide its subject. */
function jsonOf(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_key, held: unknown) =>
        typeof held === "bigint" ? String(held) : held,
      ) ?? "nothing"
    );
  } catch {
    // A circular value.
    return Object.prototype.toString.call(value);
  }
}
