import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Day } from "./day.js";
import { DAY_MS, startOf } from "./day.js";
import { HistoryError } from "./history-errors.js";
import { gapsOf } from "./spans.js";

const count = z.int().nonnegative();
/** Nanoseconds pass 2^53, so they are texts of their digits. */
const ns = z.string().regex(/^-?\d{1,19}$/);
const span = z.tuple([z.int(), z.int()]);

const source = z.strictObject({
  /** A file's name, or the address of an exchange. */
  name: z.string(),
  /** Of the file as it was given; absent for an exchange. */
  sha256: z.string().optional(),
  rows: count,
  /** What was added to its local stamps, and the smallest feed latency before that. */
  clock: z.array(z.strictObject({ fromSeq: ns, addedNs: ns, smallestNs: ns })).optional(),
});

const manifest = z.strictObject({
  format: z.literal(2),
  market: z.string(),
  kind: z.string(),
  day: z.string(),
  /** Whether `covered` is the whole day; what is not is open. */
  complete: z.boolean(),
  /** The time that is known, whether or not anything happened in it. */
  covered: z.array(span),
  /** Of a book: the time in which it is not known, from a break of its chain of sequences to the next snapshot; absent where there is none. */
  lost: z.array(span).optional(),
  rows: count,
  /** First and last exchange time; null for a day that is known and empty. */
  firstNs: ns.nullable(),
  lastNs: ns.nullable(),
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  decimals: z.strictObject({ price: count, amount: count, rate: count }),
  /** The market's grid where its exchange told it. */
  grid: z.strictObject({ tickSize: z.string(), stepSize: z.string() }).optional(),
  sources: z.array(source),
  /** The largest id of a day of trades. */
  lastId: ns.optional(),
  /** What did not agree when it was written. */
  findings: z.array(z.string()),
});

/** What is known of one day's file: beside it as `<day>.json`, and in its own metadata without its checksum. */
export type DayManifest = z.infer<typeof manifest>;

/** Where rows came from. */
export type SourceNote = z.infer<typeof source>;

/** Reads a day's manifest. @throws HistoryError naming the file when it is none */
export function readManifest(path: string, market: string, kind: string, day: Day): DayManifest {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new HistoryError(path, "is no manifest: it cannot be read as JSON", { expected: "what this program wrote", cause });
  }
  const read = manifest.safeParse(ofThisFormat(value));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new HistoryError(path, `is no manifest: ${issue?.path.join(".")}: ${issue?.message}`, { expected: "what this program wrote" });
  }
  const { data } = read;
  if (data.market !== market || data.kind !== kind || data.day !== day) {
    throw new HistoryError(path, "belongs elsewhere", {
      value: `${data.market}/${data.kind}/${data.day}`,
      expected: `${market}/${kind}/${day}`,
    });
  }
  return data;
}

/** A manifest of an earlier format as one of this; what is none is left as it is. */
function ofThisFormat(value: unknown): unknown {
  return typeof value === "object" && value !== null && "format" in value && value.format === 1 ? { ...value, format: 2 } : value;
}

/** Whether spans are the whole of a day. */
export function isWholeDay(day: Day, covered: DayManifest["covered"]): boolean {
  const startMs = startOf(day);
  return startMs !== undefined && gapsOf(covered, [startMs, startMs + DAY_MS]).length === 0;
}
