import { isRecord } from "./is-record.js";

/**
 * Reads one value of a request.
 * @returns it in the EVM's form
 * @throws InvalidArgument for an invalid value
 */
export type Shape = (value: unknown) => unknown;

/** An invalid value in a request, with go-ethereum's text. */
export class InvalidArgument extends Error {}

const HEX = /^[0-9a-fA-F]*$/;
const BLOCK_TAGS: ReadonlySet<unknown> = new Set([
  "earliest",
  "finalized",
  "latest",
  "pending",
  "safe",
]);

/** An address: 20 bytes. */
export const address: Shape = (value) => fixedBytes(value, 20, "an address");

/** A hash, or another word of 32 bytes. */
export const hash: Shape = (value) => fixedBytes(value, 32, "a hash");

/** Bytes of any length, in hex. */
export const data: Shape = (value) => `0x${evenDigits(value)}`;

/**
 * An unsigned integer of at most `bits` bits, in hex. JSON numbers and leading zeros are accepted.
 */
export function quantity(bits: number): Shape {
  return (value) => {
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0)
      return atMost(BigInt(value), bits);
    const digits = digitsOf(value);
    if (digits === "") throw new InvalidArgument("empty hex string");
    // A longer one exceeds the bits, and is expensive to parse.
    if (digits.length > 64) throw new InvalidArgument(`hex number > ${bits} bits`);
    return atMost(BigInt(`0x${digits}`), bits);
  };
}

/**
 * A storage word or slot: a quantity, or up to 32 bytes.
 * @returns it as written
 */
export const storageKey: Shape = (value) => {
  const digits = digitsOf(value);
  if (digits.length > 64)
    throw new InvalidArgument(
      `hex string has length ${digits.length}, want at most 64 for a storage key`,
    );
  return value;
};

/** The same, padded to 32 bytes. */
export const storageSlot: Shape = (value) =>
  `0x${(storageKey(value) as string).slice(2).padStart(64, "0")}`;

export const boolean: Shape = (value) => {
  if (typeof value !== "boolean") throw new InvalidArgument("expected true or false");
  return value;
};

export const text: Shape = (value) => {
  if (typeof value !== "string") throw new InvalidArgument("non-string");
  return value;
};

/** A block by its number or tag. */
export const blockNumber: Shape = (value) => (BLOCK_TAGS.has(value) ? value : quantity(64)(value));

/** A block by its number, tag or hash, or by an object with its number or hash (EIP-1898). */
export const block: Shape = (value) => {
  if (typeof value === "string" && value.length === 66) return { blockHash: hash(value) };
  if (!isRecord(value)) return blockNumber(value);
  const fields = recordShape({ blockHash: hash, blockNumber, requireCanonical: boolean })(
    value,
  ) as Record<string, unknown>;
  if (fields.blockHash === undefined && fields.blockNumber === undefined) {
    throw new InvalidArgument("at least one of blockNumber or blockHash is needed");
  }
  if (fields.blockHash !== undefined && fields.blockNumber !== undefined) {
    throw new InvalidArgument(
      "cannot specify both BlockHash and BlockNumber, choose one or the other",
    );
  }
  return fields;
};

/** One of several texts. */
export function oneOfShape(...values: readonly string[]): Shape {
  return (value) => {
    if (!values.includes(value as string))
      throw new InvalidArgument(`expected one of ${values.join(", ")}`);
    return value;
  };
}

/** A list of values of one shape. */
export function listOf(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) throw new InvalidArgument("expected a list");
    return value.map((entry, place) => within(`${place}`, () => shape(entry)));
  };
}

/**
 * An object with these fields. Other fields and null values are ignored; `required` names the
 * mandatory fields.
 */
export function recordShape(
  fields: Readonly<Record<string, Shape>>,
  required: readonly string[] = [],
): Shape {
  return (value) => {
    if (!isRecord(value)) throw new InvalidArgument("expected an object");
    const read: Record<string, unknown> = {};
    for (const [name, shape] of Object.entries(fields)) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      if (given !== undefined && given !== null) read[name] = within(name, () => shape(given));
      else if (required.includes(name))
        throw new InvalidArgument(`missing required field '${name}'`);
    }
    return read;
  };
}

/** An object whose keys have one shape and whose values have another. */
export function mapOf(name: Shape, shape: Shape): Shape {
  return (value) => {
    if (!isRecord(value)) throw new InvalidArgument("expected an object");
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [
        within(key.slice(0, 80), () => name(key)),
        within(key.slice(0, 80), () => shape(entry)),
      ]),
    );
  };
}

/**
 * Adds the place of the invalid value to the error.
 * @throws InvalidArgument as `read` does
 */
function within<Value>(place: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw error instanceof InvalidArgument
      ? new InvalidArgument(`${place}: ${error.message}`)
      : error;
  }
}

function fixedBytes(value: unknown, bytes: number, what: string): string {
  const digits = evenDigits(value);
  if (digits.length !== 2 * bytes)
    throw new InvalidArgument(
      `hex string has length ${digits.length}, want ${2 * bytes} for ${what}`,
    );
  return `0x${digits}`;
}

function evenDigits(value: unknown): string {
  const digits = digitsOf(value);
  if (digits.length % 2 === 1) throw new InvalidArgument("hex string of odd length");
  return digits;
}

function digitsOf(value: unknown): string {
  if (typeof value !== "string") throw new InvalidArgument("non-string");
  if (value === "") throw new InvalidArgument("empty hex string");
  if (!/^0x/i.test(value)) throw new InvalidArgument("hex string without 0x prefix");
  const digits = value.slice(2);
  if (!HEX.test(digits)) throw new InvalidArgument("invalid hex string");
  return digits;
}

function atMost(value: bigint, bits: number): string {
  if (value >> BigInt(bits) !== 0n) throw new InvalidArgument(`hex number > ${bits} bits`);
  return `0x${value.toString(16)}`;
}
