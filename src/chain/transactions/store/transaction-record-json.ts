import { z } from "zod";
import { FormatError } from "../../../core/errors.js";
import type { TransactionRecord } from "./transaction-store.js";

/** Encodes whole numbers beyond 2^53 as `{"int":"..."}`: JSON has none. */
const INT = "int";

const hex = z.string().regex(/^0x(?:[0-9a-fA-F]{2})*$/);
const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const count = z.int().min(0);
const wei = z.bigint().min(0n);

const job = z.strictObject({
  id: z.string().min(1),
  lane: z.string().min(1),
  to: address,
  data: hex,
  valueWei: wei.optional(),
  gasLimit: z.union([wei, z.literal("estimate")]),
  maxCostWei: wei,
  deadlineMs: z.int(),
  tipWei: wei.optional(),
});
const attempt = z.strictObject({
  nonce: count,
  hash,
  purpose: z.enum(["act", "cancel", "fill"]),
  gasLimit: wei,
  maxFeeWei: wei,
  tipWei: wei,
  raw: hex,
  atMs: z.int(),
});
const log = z.strictObject({
  address,
  topics: z.array(hash),
  data: hex,
  blockNumber: count,
  blockHash: hash,
  transactionHash: hash,
  logIndex: count,
});
const receipt = z.strictObject({
  hash,
  blockNumber: count,
  blockHash: hash,
  blockTimeMs: count.optional(),
  isReverted: z.boolean(),
  gasUsed: wei,
  effectiveGasPriceWei: wei,
  costWei: wei,
  logs: z.array(log),
});
/** `Revert` lists the kinds; a stored value was one of them when it was written. */
const revert = z.looseObject({ kind: z.string(), text: z.string() });
const outcome = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("mined"), nonce: count, receipt }),
  z.strictObject({ kind: z.literal("reverted"), nonce: count, receipt, revert }),
  z.strictObject({ kind: z.literal("cancelled"), nonce: count, receipt }),
  z.strictObject({ kind: z.literal("foreign"), nonce: count }),
]);
const record = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("attempt"), job: job.nullable(), attempt }),
  z.strictObject({
    kind: z.literal("final"),
    nonce: count,
    jobId: z.string().nullable(),
    outcome: outcome.nullable(),
    atBlock: count.optional(),
  }),
  z.strictObject({ kind: z.literal("reopened"), nonce: count }),
]);

/** Formats a record as one line of a store's file, without its line feed. */
export function formatTransactionRecord(value: TransactionRecord): string {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === "bigint" ? { [INT]: String(field) } : field,
  );
}

/**
 * @param place for the error, such as file and line. @throws FormatError when the line is not a
 * record; it does not show the line.
 */
export function parseTransactionRecord(line: string, place: string): TransactionRecord {
  let value: unknown;
  try {
    value = JSON.parse(line, (_, field: unknown) => (isInt(field) ? BigInt(field[INT]) : field));
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new FormatError("is not JSON", {
        field: place,
        expected: "a record of the transaction manager",
      });
    throw error;
  }
  const parsed = record.safeParse(value);
  if (parsed.success) return parsed.data as TransactionRecord;
  const where = parsed.error.issues[0]?.path.join(".") ?? "";
  throw new FormatError("is not a record of the transaction manager", {
    field: `${place}: ${where}`,
    expected: "a record that the transaction manager wrote",
  });
}

function isInt(field: unknown): field is { readonly [INT]: string } {
  if (
    typeof field !== "object" ||
    field === null ||
    !(INT in field) ||
    Object.keys(field).length !== 1
  )
    return false;
  return typeof field[INT] === "string" && /^-?\d{1,100}$/.test(field[INT]);
}
