import { FormatError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";

const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;
const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/;

/** Parses a JSON object. @throws FormatError when it is not one */
export function parseObject(value: unknown, field: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new FormatError("is not an object", { field, value, expected: "a JSON object" });
  return value as Readonly<Record<string, unknown>>;
}

/**
 * Parses bytes to lower case, optionally of a given length. @throws FormatError when the value is
 * something else
 */
export function parseBytes(value: unknown, field: string, length?: number): Hex {
  if (
    typeof value !== "string" ||
    !BYTES.test(value) ||
    (length !== undefined && value.length !== 2 + 2 * length)
  )
    throw new FormatError("is not hex data", {
      field,
      value,
      expected: length === undefined ? "0x and bytes" : `${length} bytes`,
    });
  return value.toLowerCase();
}

/**
 * Parses an unsigned number of at most 256 bits. @throws FormatError when the value is something
 * else
 */
export function parseQuantity(value: unknown, field: string): bigint {
  if (typeof value !== "string" || !QUANTITY.test(value))
    throw new FormatError("is not a quantity", { field, value, expected: "0x and hex digits" });
  return BigInt(value);
}

/** Parses a count like {@link parseQuantity}. @throws FormatError also beyond 2^53 */
export function parseNumber(value: unknown, field: string): number {
  const number = Number(parseQuantity(value, field));
  if (!Number.isSafeInteger(number))
    throw new FormatError("is too large", { field, value, expected: "less than 2^53" });
  return number;
}

/** Accepts any result, for one that is not used. */
export function anyResult(result: unknown): unknown {
  return result;
}
