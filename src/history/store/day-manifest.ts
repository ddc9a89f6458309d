import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { z } from "zod";
import { findSchemaViolation } from "../../core/config/schema-violation.js";
import type { Day } from "../day.js";
import { HistoryError } from "../history-errors.js";

const count = z.int().nonnegative();
/** Nanoseconds pass 2^53, so they are texts of their digits. */
const ns = z.string().regex(/^-?\d{1,19}$/);
const span = z.tuple([z.int(), z.int()]).readonly();

const source = z.strictObject({
  /** A file's name, or the address of an exchange. */
  name: z.string(),
  /** Of the file as it was given; absent for an exchange. */
  sha256: z.string().optional(),
  rows: count,
  /** SHA-256 of how the file was read, by which mapping and repairs; absent for an exchange, and where an earlier version wrote it. */
  reading: z.string().optional(),
  /**
   * What orders its rows where one stamp is all that they have: places that it tells, in the capture that it is of, or numbers that each
   * file has from one. Absent for kinds without places, and where an earlier format did not say.
   */
  places: z.enum(["told", "counted"]).optional(),
  /** Its records have no ids: the number of the row stands for each. */
  isNumbered: z.literal(true).optional(),
  /** Its amounts count contracts, not base units. */
  isInContracts: z.literal(true).optional(),
  /** It is a file of a book's updates alone, on whichever of its days. */
  hasNoSnapshot: z.literal(true).optional(),
  /** What was added to its local stamps, and the smallest feed latency before that. */
  clock: z
    .array(
      z.strictObject({
        fromSeq: ns,
        addedNs: ns,
        smallestNs: ns,
        isByHand: z.literal(true).optional(),
      }),
    )
    .optional(),
  /** Numbers of the whole file that were rounded, and rows of it that were left out; absent where there are none. */
  rounded: count.optional(),
  dropped: count.optional(),
  /** Snapshots of the file's book that lack rows that were left out; absent where there are none. */
  cutSnapshots: count.optional(),
});

const sequenceAt = z.strictObject({ sequence: ns, ms: z.int() }).nullable();

/** A part of a book that one file brought in one go, by which it is known whether the next part follows on it. */
const stretch = z.strictObject({
  /** SHA-256 of the file: what lies between two stretches of one file was looked at when it was imported. */
  file: z.string(),
  /** From its first message to its last. */
  span,
  /** When its first snapshot comes; null where none does. */
  wholeMs: z.int().nullable(),
  /** The sequence that its first update follows on; null where no update tells one. */
  follows: ns.nullable(),
  /** Where its last update ends, and its last snapshot where no update comes after that. */
  update: sequenceAt,
  snapshot: sequenceAt,
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
  /**
   * Times of `covered` of which rows are missing, as the ids of the day's trades, the steps between its candles or `leftOut` tell.
   * Absent for other kinds, and where an earlier version wrote it.
   */
  holes: z.array(span).optional(),
  /** Of all kinds but a book: times of which a file's rows were left out, and no other file has them; absent where there are none. */
  leftOut: z.array(span).optional(),
  /** Of trades whose ids are an exchange's count of them: the least, and where ids are left out. The largest is `lastId`. */
  ids: z.strictObject({ first: ns, breaks: count, missing: count }).optional(),
  /** Of a book: its stretches whose chain of sequences is known, ascending. Absent for other kinds, and where an earlier version wrote it. */
  chain: z.array(stretch).readonly().optional(),
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
  /** Candles that are not there, of those that the covered time has; absent where none is missing. */
  missingCandles: z
    .strictObject({
      missing: count,
      of: count,
      /** Those among them that the source is taken to leave out for want of a trade: no hole. */
      quiet: count.optional(),
      /** So many in a row are still taken for such; absent where `quiet` is, and where an earlier version wrote it. */
      quietUpTo: count.optional(),
    })
    .optional(),
  /** What did not agree when it was written. */
  findings: z.array(z.string()),
});

const formatOne = z.looseObject({
  format: z.literal(1),
  findings: z.array(z.string()),
  sources: z.array(z.looseObject({})),
});

/** What is known of one day's file: beside it as `<day>.json`, and in its own metadata without its checksum. */
export type DayManifest = z.infer<typeof manifest>;

/** A part of a book as a day's manifest keeps it. */
export type BookStretch = z.infer<typeof stretch>;

/** The same of a file that is read, before it belongs to a day. */
export interface ChainStretch extends Omit<BookStretch, "file"> {
  readonly day: Day;
}

/** Where rows came from. */
export type SourceNote = z.infer<typeof source>;

/** A manifest as it is read: with the CRC-32 of the rest of it, since one digit of it may move every price or cover a gap; absent where an earlier version wrote it. */
const checked = z.looseObject({ check: z.string().optional() });

/** What is written beside a day's file. */
export function manifestText(day: DayManifest): string {
  return `${JSON.stringify({ ...day, check: checkOf(day) }, undefined, 2)}\n`;
}

function checkOf(value: object): string {
  return crc32(JSON.stringify(value)).toString(16).padStart(8, "0");
}

/** Reads a day's manifest. @throws HistoryError naming the file when it is none, or was changed */
export function readManifest(path: string, market: string, kind: string, day: Day): DayManifest {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new HistoryError(path, "is no manifest: it cannot be read as JSON", {
      expected: "what this program wrote",
      cause,
    });
  }
  const read = manifest.safeParse(ofThisFormat(unchanged(path, value)));
  if (!read.success) {
    const { path: key, value: held, expected } = findSchemaViolation(read.error, value);
    throw new HistoryError(path, `is no manifest: its ${key} is not what this program wrote`, {
      value: held,
      expected,
    });
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

/** A manifest without its check. @throws HistoryError where the rest of it is another than was written */
function unchanged(path: string, value: unknown): unknown {
  const said = checked.safeParse(value);
  if (!said.success || said.data.check === undefined) return value;
  const { check, ...rest } = said.data;
  const made = checkOf(rest);
  if (made === check) return rest;
  throw new HistoryError(path, "is broken: it is not what was written", {
    value: made,
    expected: `${check}, as it says itself: bring a copy back, or delete the day's two files and bring the day in again`,
  });
}

/** The finding of a day some of whose candles are missing. */
export function missingText({
  missing,
  of,
  quiet = 0,
}: NonNullable<DayManifest["missingCandles"]>): string {
  const all = `${missing} of ${of} candles are missing`;
  return quiet === 0 ? all : `${all}, ${quiet} of them taken for times without a trade`;
}

/** The finding of a day some of whose trades are missing. */
export function missingTradesText({ missing, breaks }: NonNullable<DayManifest["ids"]>): string {
  const trades = missing === 1 ? "1 trade is missing" : `${missing} trades are missing`;
  return `${trades} in ${breaks} ${breaks === 1 ? "place" : "places"}, as their ids tell`;
}

/** Whether rows came from an exchange itself, which tells what it does not list, and not from a file. */
export function isFromExchange({ name, sha256 }: Pick<SourceNote, "name" | "sha256">): boolean {
  return sha256 === undefined || name.includes("://");
}

/** Format 1 said so in words alone. */
const NUMBERED = /: the number of the row stands for each$/;
const MISSING = /^(\d+) of (\d+) candles are missing$/;

/** A manifest of format 1 as one of this; what is none is left as it is. */
function ofThisFormat(value: unknown): unknown {
  const former = formatOne.safeParse(value);
  if (!former.success) return value;
  const { findings, sources } = former.data;
  const isNumbered = findings.some((finding) => NUMBERED.test(finding));
  const [, missing, of] =
    findings.map((finding) => MISSING.exec(finding)).find((match) => match !== null) ?? [];
  return {
    ...former.data,
    format: 2,
    sources: isNumbered ? sources.map((each) => ({ ...each, isNumbered: true })) : sources,
    ...(missing === undefined
      ? {}
      : { missingCandles: { missing: Number(missing), of: Number(of) } }),
  };
}
