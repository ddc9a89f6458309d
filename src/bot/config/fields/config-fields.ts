import { Decimal } from "decimal.js";
import { z } from "zod";

/**
 * Plain decimal digits, exact: the form of every quantity of a config, in whatever form the YAML
 * has it.
 */
export type DecimalText = string;

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

interface DecimalBounds {
  /** Name of the unit: `base units`, `quote units`. */
  readonly unit: string;
  readonly above?: string;
  readonly from?: string;
  readonly below?: string;
}

/** A decimal quantity, written as a YAML number or string, kept as exact digits. */
function decimalField(description: string, { unit, above, from, below }: DecimalBounds) {
  const low = from === undefined ? (above === undefined ? "" : `above ${above}`) : `from ${from}`;
  const bounds = [low, below === undefined ? "" : `below ${below}`].filter(Boolean).join(" and ");
  const expected = `a decimal number ${unit.startsWith("fraction") ? "as a" : "of"} ${unit}${bounds === "" ? "" : `, ${bounds}`}`;
  return z
    .union([z.number(), z.string()])
    .transform((written, context): DecimalText => {
      const text = String(written).trim();
      const fail = (message: string): never => {
        context.issues.push({ code: "custom", message, input: written, params: { expected } });
        return z.NEVER;
      };
      if (!DECIMAL.test(text)) return fail("is not a decimal number");
      const value = new Decimal(text);
      if (above !== undefined && value.lte(above))
        return fail(value.isZero() ? "must not be zero" : "is too low");
      if (from !== undefined && value.lt(from)) return fail("is too low");
      if (below !== undefined && value.gte(below)) return fail("is too high");
      return value.toFixed();
    })
    .meta({
      description: `${description} (${unit}).`,
      expected,
      ...(above === undefined ? {} : { exclusiveMinimum: Number(above) }),
      ...(from === undefined ? {} : { minimum: Number(from) }),
      ...(below === undefined ? {} : { exclusiveMaximum: Number(below) }),
    });
}

/**
 * More than any asset has. A limit at or above it is an error in the exponent, and would never
 * apply.
 */
const MOST = "1e15";

/** An amount of the base asset, above zero. */
export function baseField(description: string) {
  return decimalField(description, { unit: "base units", above: "0", below: MOST });
}

/** An amount of the quote asset, above zero. */
export function quoteField(description: string) {
  return decimalField(description, { unit: "quote units", above: "0", below: MOST });
}

/** A price of gas, zero or above. */
export function gweiField(description: string) {
  return decimalField(description, { unit: "gwei per unit of gas", from: "0", below: "1e6" });
}

/** An amount of ether, zero or above. */
export function etherField(description: string) {
  return decimalField(description, { unit: "ether", from: "0", below: "1e6" });
}

/** A fee rate as a fraction of the notional; negative is a rebate. */
export function rateField(description: string) {
  return decimalField(description, { unit: "fraction of the notional", above: "-1", below: "1" });
}

/** A fee rate that is never a rebate, zero or above, as a plain number. */
export function chargeField(description: string) {
  return decimalField(description, {
    unit: "fraction of the notional",
    from: "0",
    below: "1",
  }).transform(Number);
}

/** A duration in whole milliseconds. */
export function durationField(
  description: string,
  { min = 1, max = 86_400_000 }: { min?: number; max?: number } = {},
) {
  return z.int().min(min).max(max).describe(description);
}

/** A whole number within bounds. */
export function countField(
  description: string,
  { min = 1, max = 1_000_000 }: { min?: number; max?: number } = {},
) {
  return z.int().min(min).max(max).describe(description);
}

/** A fraction above 0, at most 1. */
export function fractionField(description: string) {
  return z.number().gt(0).max(1).describe(description);
}

/** A name that is a label of metrics, a part of file names or a market's id. */
export function nameField(expected: string) {
  return z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,40}$/)
    .meta({ expected });
}

/** The name of an environment variable. */
export function variableField(example: string) {
  return z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,59}$/)
    .meta({ expected: `the name of an environment variable, such as ${example}` });
}

/**
 * An address: scheme, host, optional port and path; no query and no credentials. @param at an
 * example without the scheme.
 */
export function addressField(
  description: string,
  schemes: readonly string[],
  at = "127.0.0.1:8620/v1",
) {
  const expected = `an address such as ${schemes[0]}//${at}`;
  return z
    .string()
    .transform((written, context): string => {
      const fail = (message: string): never => {
        context.issues.push({ code: "custom", message, input: written, params: { expected } });
        return z.NEVER;
      };
      if (!URL.canParse(written)) return fail("is not an address");
      const url = new URL(written);
      if (!schemes.includes(url.protocol))
        return fail(`has the wrong scheme (it must be ${schemes.join(" or ")})`);
      if (url.username !== "" || url.password !== "")
        return fail("must not hold a name or password");
      if (url.search !== "" || url.hash !== "") return fail("must not hold a query or fragment");
      return url.href.replace(/\/+$/, "");
    })
    .meta({
      description: `${description}.`,
      expected,
      pattern: `^(${schemes.map((scheme) => scheme.slice(0, -1)).join("|")})://`,
    });
}
