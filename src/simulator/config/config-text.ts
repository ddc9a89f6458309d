import { z } from "zod";

/** A text with a pattern; `expected` describes it in error messages. */
export function text(pattern: RegExp, expected: string) {
  return z.string().regex(pattern).meta({ expected });
}

/** A decimal without exponent, not negative. */
export const decimal = text(
  /^\d+(\.\d+)?$/,
  'a plain decimal of at least zero, such as "0.1", without exponent',
);

/** A decimal without exponent, above zero. */
export const positiveDecimal = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .refine((written) => /[1-9]/.test(written), { message: "must not be zero" })
  .meta({ expected: 'a plain decimal above zero, such as "0.1", without exponent' });

/** A decimal without exponent, of either sign. */
export const signedDecimal = text(
  /^-?\d+(\.\d+)?$/,
  'a plain decimal such as "-0.0001", without exponent',
);

/** An address of the chain. */
export const address = text(/^0x[0-9a-fA-F]{40}$/, "an address: 0x and 40 hex digits");

/** A market's name on the exchange. */
export const marketId = text(
  /^[a-z0-9]{3,32}$/,
  "3 to 32 lower-case letters and digits, as in btcusdc",
);
