import { FormatError } from "../core/errors.js";
import type { Hex } from "../core/units.js";

/** One event as a node tells it, not decoded yet. Addresses, topics and data in lower case. */
export interface ChainLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  /** Its place in the block. */
  readonly logIndex: number;
}

const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;
const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/;

/**
 * Reads one entry of `eth_getLogs` or of a receipt's `logs`.
 * @throws FormatError when a field is missing or is not what JSON-RPC says; a log of the pending block, without a block, is none.
 */
export function chainLogOf(value: unknown): ChainLog {
  const fields = fieldsOf(value, "log");
  const { topics } = fields;
  if (!Array.isArray(topics)) throw new FormatError("is no list", { field: "log.topics", expected: "a list of 32-byte words" });
  return {
    address: bytesField(fields, "address", 20),
    topics: topics.map((topic: unknown) => bytesField({ topic }, "topic", 32)),
    data: bytesField(fields, "data"),
    blockNumber: numberField(fields, "blockNumber"),
    blockHash: bytesField(fields, "blockHash", 32),
    transactionHash: bytesField(fields, "transactionHash", 32),
    logIndex: numberField(fields, "logIndex"),
  };
}

/** The members of a JSON object. @throws FormatError when it is none */
export function fieldsOf(value: unknown, field: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new FormatError("is no object", { field, expected: "a JSON object" });
  return value as Readonly<Record<string, unknown>>;
}

/** Bytes in lower case, of a given length where one is named. @throws FormatError when the member is something else */
export function bytesField(fields: Readonly<Record<string, unknown>>, field: string, length?: number): Hex {
  const value = fields[field];
  if (typeof value !== "string" || !BYTES.test(value) || (length !== undefined && value.length !== 2 + 2 * length))
    throw new FormatError("is no hex data", { field, value, expected: length === undefined ? "0x and bytes" : `${length} bytes` });
  return value.toLowerCase();
}

/** An unsigned number of at most 256 bits. @throws FormatError when the member is something else */
export function quantityField(fields: Readonly<Record<string, unknown>>, field: string): bigint {
  const value = fields[field];
  if (typeof value !== "string" || !QUANTITY.test(value))
    throw new FormatError("is no quantity", { field, value, expected: "0x and digits" });
  return BigInt(value);
}

/** As {@link quantityField}, of a number that counts something. @throws FormatError also beyond 2^53 */
export function numberField(fields: Readonly<Record<string, unknown>>, field: string): number {
  const value = Number(quantityField(fields, field));
  if (!Number.isSafeInteger(value)) throw new FormatError("is too large", { field, value, expected: "less than 2^53" });
  return value;
}
