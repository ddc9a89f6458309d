import { z } from "zod";
import { findSchemaViolation } from "../../core/config/schema-violation.js";
import { formatErrorValue } from "../../core/errors.js";
import type { PriceMessage } from "../price-message.js";

/** A side without a price: 0 at some exchanges, nothing or NaN at others. */
const side = z
  .union([z.number().min(0), z.nan()])
  .nullish()
  .transform((price) => (price == null || price === 0 ? Number.NaN : price));

const priceSchema = z.object({
  bid: side,
  ask: side,
  timeMs: z
    .number()
    .min(0)
    .nullish()
    .transform((timeMs) => timeMs ?? undefined),
});

const EXPECTED: Readonly<Record<string, string>> = {
  bid: "a price from 0",
  ask: "a price from 0",
  timeMs: "milliseconds since 1970",
};

/**
 * Reads a source's price where it enters. A value that is no price makes a `down` that names the
 * field and the value.
 */
export function readPrice(value: unknown): PriceMessage {
  const result = priceSchema.safeParse(value);
  if (!result.success) {
    const { path, value: held } = findSchemaViolation(result.error, value);
    const name = path === "" ? "a message" : path;
    const expected = EXPECTED[path] ?? "an object with bid and ask";
    return {
      type: "down",
      reason: `cannot be read: ${name} is ${formatErrorValue(held)}, expected ${expected}`,
    };
  }
  const { bid, ask, timeMs } = result.data;
  return { type: "price", bid, ask, ...(timeMs === undefined ? {} : { timeMs }) };
}
