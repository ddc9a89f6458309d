import { Decimal as DecimalJs } from "decimal.js";
import { FormatError } from "../../core/errors.js";

/**
 * An exact decimal number: the type of every price, amount, fee and rate in the client's records.
 * Sums, differences and products are exact to 256 significant digits, far beyond what two numbers
 * of the wire can need; a quotient is rounded there. `String(value)` and JSON give plain digits,
 * never an exponent.
 */
export type Decimal = DecimalJs;

/**
 * A decimal as accepted from callers: as text, exact, or as a whole bigint. Never a float, whose
 * digits are not what was written.
 */
export type DecimalInput = string | bigint | Decimal;

/** An isolated constructor: other users of decimal.js and this one do not share settings. */
const Exact = DecimalJs.clone({ defaults: true, precision: 256, toExpNeg: -9e15, toExpPos: 9e15 });

const PLAIN = /^-?\d{1,60}(?:\.\d{1,60})?$/;

/**
 * Parses a number of the wire, or of a caller, to an exact decimal. @throws FormatError when it is
 * no plain decimal of at most 60 digits on either side.
 * @example
 * ```ts
 * import { toDecimal } from "marketwright/exchange";
 *
 * String(toDecimal("0.1").plus("0.2")); // => "0.3"
 * toDecimal("1e5", "price"); // throws FormatError
 * ```
 */
export function toDecimal(value: DecimalInput, field = "decimal"): Decimal {
  const text = decimalText(value);
  if (!PLAIN.test(text))
    throw new FormatError("not a plain decimal", {
      field,
      value: text,
      expected: 'a decimal such as "0.25"',
    });
  return new Exact(text);
}

/**
 * Formats a decimal as plain digits. A text keeps its trailing zeros, because the signature covers
 * characters.
 */
export function decimalText(value: DecimalInput): string {
  return DecimalJs.isDecimal(value) ? value.toFixed() : String(value);
}
