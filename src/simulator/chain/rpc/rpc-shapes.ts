import { isRecord } from "./is-record.js";

/**
 * Reads one value of a request. @returns it as the EVM takes it
 * @throws InvalidArgument for any other value
 */
export type Shape = (value: unknown) => unknown;

/** A value that a request may not have, in the words of go-ethereum. */
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

/** A hash, or any other word of 32 bytes. */
export const hash: Shape = (value) => fixedBytes(value, 32, "a hash");

/** Bytes of any number, in hex. */
export const data: Shape = (value) => `0x${evenDigits(value)}`;

/** A whole number from 0 of at most so many bits, in hex; a number of JSON and leading zeros are taken too. */
export function quantity(bits: number): Shape {
  return (value) => {
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0)
      return atMost(BigInt(value), bits);
    const digits = digitsOf(value);
    if (digits === "") throw new InvalidArgument("empty hex string");
    // Any longer one is beyond the bits, and costs more than its refusal.
    if (digits.length > 64) throw new InvalidArgument(`hex number > ${bits} bits`);
    return atMost(BigInt(`0x${digits}`), bits);
  };
}

/** A word of storage or its place: a quantity, or up to 32 bytes. @returns it as it was written */
export const storageKey: Shape = (value) => {
  const digits = digitsOf(value);
  if (digits.length > 64)
    throw new InvalidArgument(
      `hex string has length ${digits.length}, want at most 64 for a storage key`,
    );
  return value;
};

/** The same, as 32 bytes. */
export const storageSlot: Shape = (value) =>
  `0x${(storageKey(value) as string).slice(2).padStart(64, "0")}`;

/** True or false. */
export const boolean: Shape = (value) => {
  if (typeof value !== "boolean") throw new InvalidArgument("expected true or false");
  return value;
};

/** A text. */
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

/** One of these texts. */
export function oneOfShape(...values: readonly string[]): Shape {
  return (value) => {
    if (!values.includes(value as string))
      throw new InvalidArgument(`expected one of ${values.join(", ")}`);
    return value;
  };
}

/** A list of such values. */
export function listOf(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) throw new InvalidArgument("expected a list");
    return value.map((entry, place) => within(`${place}`, () => shape(entry)));
  };
}

/** An object with these fields. Fields of other names are passed over, as null is; `required` names those that must be there. */
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

/** An object whose names are all of one shape, and so its values. */
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

/** Says where the value lies that was wrong. @throws InvalidArgument as `read` does */
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
