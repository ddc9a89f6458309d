import { z } from "zod";
import { FormatError } from "../../core/errors.js";
import { int64Id as canonicalId } from "../../core/int64-json.js";
import type { Hex, Int64Id, MarketId, Ms } from "../../core/units.js";
import { type Decimal, toDecimal } from "./decimal.js";

/*
 * The value types of the exchange's JSON records. A schema accepts everything that any exchange of
 * this protocol may send, so that unused fields do not stop a client. If our own exchange writes
 * less than that, `writtenAs` says what, and the OpenAPI document shows it.
 */

/** Price, amount, fee or rate as a JSON string: plain, no exponent. */
export type WireDecimal = string;
/** A 64-bit identifier: a JSON integer; past 2^53 it is a string of its digits. */
export type WireInt64 = number | string;
/** Milliseconds since the epoch. */
export type WireMs = number;

/** The unchanged fields of a record that the protocol does not define. */
export interface WithUnknownFields {
  readonly extra: Readonly<Record<string, unknown>>;
}

/** A value of an open set: the known ones are listed, any other passes unchanged. */
export type OpenEnum<Known extends string> = Known | (string & {});

/** The part of the OpenAPI document that a schema itself does not contain. */
interface WrittenForm {
  /** The schema of our exchange's output, if narrower than what a client accepts. */
  readonly written?: z.ZodType;
  /** Set for a field that the exchange always writes, and that a client does not need. */
  readonly isAlwaysWritten?: boolean;
}

/**
 * By schema: the form that our exchange writes. A schema derived by `meta` keeps the original's
 * form.
 */
export const WRITTEN_FORMS: {
  get(schema: z.core.$ZodType): WrittenForm | undefined;
  add(schema: z.core.$ZodType, form: WrittenForm): unknown;
  // The registry's own type replaces schemas in its values, and this one holds schemas.
} = z.registry<object>();

function withForm<Schema extends z.ZodType>(schema: Schema, form: WrittenForm): Schema {
  const copy = schema.clone();
  WRITTEN_FORMS.add(copy, { ...WRITTEN_FORMS.get(schema), ...form });
  return copy;
}

/** Returns a schema that parses `reading` and is documented as `written`. */
export function writtenAs<Reading extends z.ZodType>(
  reading: Reading,
  written: z.ZodType,
): Reading {
  return withForm(reading, { written });
}

/** Marks a field that our exchange always writes, though its reader treats it as optional. */
export function alwaysWritten<Reading extends z.ZodType>(reading: Reading): Reading {
  return withForm(reading, { isAlwaysWritten: true });
}

/** Marks a field that the exchange always writes, and that a client does not need. */
export function dispensable<Reading extends z.ZodType>(reading: Reading): z.ZodOptional<Reading> {
  return alwaysWritten(reading.optional());
}

const plainDecimal = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .meta({ format: "decimal" });
const plainUnsigned = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .meta({ format: "decimal" });

/** A plain decimal string. */
const decimalText = writtenAs(
  z.string().regex(/^-?\d{1,60}(?:\.\d{1,60})?$/, "expected a plain decimal string"),
  plainDecimal,
);
/** A plain decimal string without a sign. */
export const unsignedText = writtenAs(
  z.string().regex(/^\d{1,60}(?:\.\d{1,60})?$/, "expected an unsigned plain decimal string"),
  plainUnsigned,
);

/**
 * The representation of decimals that a reader wants. The records are written once, for every form.
 */
export interface DecimalForm<Value extends z.ZodType> {
  readonly decimal: Value;
  readonly unsigned: Value;
  /** Never negative at our exchange, but parsed with a sign too. */
  readonly signedToo: Value;
}

/** Decimals as strings, for the bot, which counts in ticks and lots. */
export const TEXT: DecimalForm<z.ZodType<string, WireDecimal>> = {
  decimal: decimalText,
  unsigned: unsignedText,
  signedToo: writtenAs(decimalText, plainUnsigned),
};

/** Decimals as exact numbers, for callers of the client. */
export const EXACT: DecimalForm<z.ZodType<Decimal, WireDecimal>> = {
  decimal: decimalText.transform((text) => toDecimal(text)),
  unsigned: unsignedText.transform((text) => toDecimal(text)),
  signedToo: writtenAs(
    decimalText.transform((text) => toDecimal(text)),
    plainUnsigned,
  ),
};

/** The last instant that a date can have (ECMA-262, "Time Values and Time Range"). */
const LAST_MS = 8.64e15;
const plainMs = z
  .int()
  .min(0)
  .meta({ format: "int64", description: "milliseconds since the epoch" });

/** Whole milliseconds of a time that can be written as a date. */
export const ms = writtenAs(z.int().nonnegative().max(LAST_MS), plainMs);
/** A time that may be unset. */
export const instantOrNull = ms.nullable();
/** A time that the wire writes as a string of digits. */
export const instantText: z.ZodType<Ms, WireMs | string> = writtenAs(
  z.union([
    ms,
    z
      .string()
      .regex(/^\d{1,16}$/, "expected milliseconds as digits")
      .transform((text): Ms => Number(text)),
  ]),
  z.string().regex(/^\d+$/).meta({ description: "milliseconds since the epoch, as text" }),
);

/** A whole number that is never negative: a count, or a book's sequence, below 2^53. */
export const count = z.int().nonnegative();
/** A whole number above zero. */
export const positiveCount = writtenAs(z.int().positive(), count);

const HEX_BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;

/** Hex in any case, converted to lower case. */
export const hex: z.ZodType<Hex, string> = writtenAs(
  z.string().regex(HEX_BYTES, "expected 0x and hex digits").toLowerCase(),
  z.string().regex(/^0x[0-9a-f]+$/),
);
/** 32 bytes of hex, converted to lower case. */
export const hash32: z.ZodType<Hex, string> = writtenAs(
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, "expected 32 bytes of hex")
    .toLowerCase(),
  z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .meta({ format: "32 bytes" }),
);
/** An address in any case, converted to lower case. */
export const address: z.ZodType<Hex, string> = writtenAs(
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, "expected an address")
    .toLowerCase(),
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .meta({ format: "address" }),
);

/** The name of a market; the exchange also calls it a ticker. */
export const tickerId: z.ZodType<MarketId, string> = writtenAs(
  z.string().min(1).max(64),
  z.string(),
);
/** A market id. */
export const marketId: z.ZodType<MarketId, string> = writtenAs(
  tickerId,
  z.string().regex(/^[a-z0-9]{1,64}$/),
);

/** An id as its canonical decimal digits. A number past 2^53 has lost digits and is rejected. */
export const int64Id: z.ZodType<Int64Id, WireInt64> = writtenAs(
  z.union([z.string(), z.int()]).transform((id, context) => {
    try {
      return canonicalId(id);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      context.addIssue({ code: "custom", message: error.expected ?? error.message });
      return z.NEVER;
    }
  }),
  z.number().meta({ type: "integer", format: "int64", minimum: 0 }),
);

/** A signed integer string in smallest units. */
export const smallestUnits: z.ZodType<bigint, string> = writtenAs(
  z
    .string()
    .regex(/^-?\d{1,60}$/, "expected an integer string")
    .transform((text) => BigInt(text)),
  z
    .string()
    .regex(/^-?\d+$/)
    .meta({ format: "smallest units" }),
);

/** A value of a set that a client leaves open: unknown values pass unchanged. */
export function openWord<const Known extends string>(
  known: readonly Known[],
): z.ZodType<OpenEnum<Known>, string> {
  return writtenAs(z.string(), z.enum(known));
}

/** An open value that the document does not list either. */
export function anyWord<Known extends string>(): z.ZodType<OpenEnum<Known>, string> {
  return z.string();
}

/** A list. */
export function list<Element extends z.ZodType>(
  element: Element,
): z.ZodType<readonly z.output<Element>[], readonly z.input<Element>[]> {
  return z.array(element);
}

/** The output of {@link record}: the known fields, and all others in `extra`. */
export type RecordOf<Shape extends z.ZodRawShape> = Readonly<z.output<z.ZodObject<Shape>>> &
  WithUnknownFields;

const NOTHING: WithUnknownFields["extra"] = Object.freeze({});

/** An object of known fields; `extra` keeps every other field of the wire unchanged. */
export function record<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodType<RecordOf<Shape>, Readonly<z.input<z.ZodObject<Shape>>>> {
  return z.looseObject(shape).transform((value) => {
    const known: [string, unknown][] = [];
    const extra: [string, unknown][] = [];
    for (const entry of Object.entries(value))
      (Object.hasOwn(shape, entry[0]) ? known : extra).push(entry);
    return {
      ...Object.fromEntries(known),
      extra: extra.length === 0 ? NOTHING : Object.fromEntries(extra),
    } as RecordOf<Shape>;
  }) as never;
}
