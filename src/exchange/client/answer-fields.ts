import { z } from "zod";
import type { Ms } from "../../core/units.js";
import { decimalSchema, msSchema, unsignedDecimalSchema } from "../protocol/wire-schemas.js";
import { decimalOf } from "./decimal.js";

/** A signed decimal string as an exact decimal. */
export const decimal = decimalSchema.transform((text) => decimalOf(text));
/** An unsigned decimal string as an exact decimal. */
export const unsigned = unsignedDecimalSchema.transform((text) => decimalOf(text));
/** An instant that may not be set. */
export const instantOrNull = msSchema.nullable();
/** An instant that the wire writes as a text of digits. */
export const instantText = z.union([
  msSchema,
  z
    .string()
    .regex(/^\d{1,16}$/, "expected milliseconds as digits")
    .transform((text): Ms => Number(text)),
]);

type RecordOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>> & {
  readonly extra: Readonly<Record<string, unknown>>;
};

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

/** An object of known fields; every other field of the wire is kept, as it came, in `extra`. */
export function record<Shape extends z.ZodRawShape>(shape: Shape): z.ZodType<RecordOf<Shape>> {
  return z.looseObject(shape).transform((value) => {
    const known: [string, unknown][] = [];
    const extra: [string, unknown][] = [];
    for (const entry of Object.entries(value))
      (Object.hasOwn(shape, entry[0]) ? known : extra).push(entry);
    return {
      ...Object.fromEntries(known),
      extra: extra.length === 0 ? NOTHING : Object.fromEntries(extra),
    } as RecordOf<Shape>;
  });
}
