import { z } from "zod";
import { findSchemaViolation } from "../../core/config/schema-violation.js";
import { FormatError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import { decimalToScaled, shortScaled } from "../../core/instrument.js";
import type { CreditUnits, MarketId } from "../../core/units.js";

/**
 * Context for decoding the account's records: the grids of the markets that the bot knows, and the
 * unit of credit.
 */
export interface DecodeContext {
  readonly creditDecimals: number;
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
}

/**
 * Parses a value of the wire by its schema. @throws FormatError naming the path of the first wrong
 * field.
 */
export function parseWire<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  where: string,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { path, value: held, expected } = findSchemaViolation(result.error, value);
  throw new FormatError("does not match the protocol", {
    field: path === "" ? where : `${where}.${path}`,
    // A whole record is less helpful than its path.
    value: typeof held === "object" ? undefined : held,
    expected,
    cause: result.error,
  });
}

const ofMarketSchema = z.object({ marketId: z.string() });

/**
 * Reads the market of a record. This comes first, before it is known if the record matters. @throws
 * FormatError when it names none.
 */
export function readMarketId(value: unknown, where: string): MarketId {
  const marketId = (value as { readonly marketId?: unknown } | null | undefined)?.marketId;
  return typeof marketId === "string" ? marketId : parseWire(ofMarketSchema, value, where).marketId;
}

/** Parses a list of the wire. @throws FormatError when it is not one. */
export function parseList(value: unknown, where: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new FormatError("does not match the protocol", { field: where, value, expected: "a list" });
}

/**
 * Converts a decimal string of quote currency to credit units. Truncates digits below the smallest
 * unit, which records of profit and risk may carry, toward zero, as the settling contract's
 * division does.
 */
export function toCreditUnits(text: string, creditDecimals: number, field: string): CreditUnits {
  const point = text.indexOf(".");
  return decimalToScaled(
    point < 0 ? text : text.slice(0, point + 1 + creditDecimals),
    creditDecimals,
    field,
  );
}

/**
 * Counts grid units in an unsigned decimal: a whole number on the grid, a fraction off it. @throws
 * FormatError beyond 2^53.
 */
export function gridCount(text: string, unitText: string, field: string): number {
  const decimals = Math.max(fractionDigits(text), fractionDigits(unitText));
  const short = shortScaled(text, decimals);
  // Both are below 2^53, so a whole quotient is exact; a fraction, and a long number, take the slow
  // path.
  const shortUnit = shortScaled(unitText, decimals);
  if (short % shortUnit === 0) return short / shortUnit;
  const scaled = decimalToScaled(text, decimals, field);
  const unit = decimalToScaled(unitText, decimals, field);
  const whole = scaled / unit;
  if (whole > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new FormatError("past 2^53 units of the market's grid", {
      field,
      value: text,
      expected: `fewer units of ${unitText}`,
    });
  }
  const rest = scaled % unit;
  return rest === 0n ? Number(whole) : Number(whole) + Number(rest) / Number(unit);
}

/**
 * Converts a wire price to ticks, with a fraction if it comes from a finer grid. @throws
 * FormatError for a price of zero, and beyond 2^53
 */
export function priceTicks(price: string, { tickSize }: Instrument, field: string): number {
  const ticks = gridCount(price, tickSize, field);
  if (ticks === 0)
    throw new FormatError("not a price", { field, value: price, expected: "a price above zero" });
  return ticks;
}

/** Counts the digits after the decimal point. */
export function fractionDigits(text: string): number {
  const point = text.indexOf(".");
  return point < 0 ? 0 : text.length - point - 1;
}
