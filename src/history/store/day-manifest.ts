import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { z } from "zod";
import { findSchemaViolation } from "../../core/config/schema-violation.js";
import type { Day } from "../day.js";
import { HistoryError } from "../history-errors.js";

const count = z.int().nonnegative();
/** Nanoseconds exceed 2^53, so they are stored as texts of digits. */
const ns = z.string().regex(/^-?\d{1,19}$/);
const span = z.tuple([z.int(), z.int()]).readonly();

const source = z.strictObject({
  /** A file's name, or the address of an exchange. */
  name: z.string(),
  /** SHA-256 of the file as given; absent for an exchange. */
  sha256: z.string().optional(),
  rows: count,
  /**
   * SHA-256 of the file's import settings, such as mapping and repairs; absent for an exchange, and
   * in manifests of earlier versions.
   */
  reading: z.string().optional(),
  /**
   * The numbers that order rows of equal stamps: `told` for sequence numbers of a capture in the
   * file, `counted` for row numbers, counted in each file. Absent for kinds without sequence
   * numbers, and if an earlier format did not store it.
   */
  places: z.enum(["told", "counted"]).optional(),
  /** Its records have no ids; row numbers replace them. */
  isNumbered: z.literal(true).optional(),
  /** Its amounts count contracts, not base units. */
  isInContracts: z.literal(true).optional(),
  /** The file contains only updates of a book, on all of its days. */
  hasNoSnapshot: z.literal(true).optional(),
  /** The correction of its local stamps, and the smallest feed latency before that. */
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
  /** Rounded numbers and omitted rows of the whole file; absent if there are none. */
  rounded: count.optional(),
  dropped: count.optional(),
  /** Snapshots of the file's book that lack omitted rows; absent if there are none. */
  cutSnapshots: count.optional(),
});

const sequenceAt = z.strictObject({ sequence: ns, ms: z.int() }).nullable();

/**
 * A continuous part of a book from one file, with the data that show whether the next part
 * continues it.
 */
const stretch = z.strictObject({
  /**
   * SHA-256 of the file: the time between two stretches of one file was checked when it was
   * imported.
   */
  file: z.string(),
  /** From its first message to its last. */
  span,
  /** The time of its first snapshot; null if there is none. */
  wholeMs: z.int().nullable(),
  /** The sequence that its first update follows; null if no update has one. */
  follows: ns.nullable(),
  /** The end of its last update, and of its last snapshot if no update comes after that. */
  update: sequenceAt,
  snapshot: sequenceAt,
});

const manifest = z.strictObject({
  format: z.literal(2),
  market: z.string(),
  kind: z.string(),
  day: z.string(),
  /** True if `covered` is the whole day; otherwise the day is still open. */
  complete: z.boolean(),
  /** The known time, with or without records in it. */
  covered: z.array(span),
  /**
   * For a book: the time in which it is unknown, from a break of its chain of sequences to the next
   * snapshot; absent if there is none.
   */
  lost: z.array(span).optional(),
  /**
   * The parts of `covered` with missing rows, by the ids of the day's trades, the steps between its
   * candles or `leftOut`. Absent for other kinds, and in manifests of earlier versions.
   */
  holes: z.array(span).optional(),
  /**
   * For all kinds except a book: times of which a file's rows were left out, and no other file has
   * them; absent if there are none.
   */
  leftOut: z.array(span).optional(),
  /** For trades whose ids count them: the least id, and the gaps. The largest is `lastId`. */
  ids: z.strictObject({ first: ns, breaks: count, missing: count }).optional(),
  /**
   * For a book: its stretches whose chain of sequences is known, ascending. Absent for other kinds,
   * and in manifests of earlier versions.
   */
  chain: z.array(stretch).readonly().optional(),
  rows: count,
  /** First and last exchange time; null for a day that is known to be empty. */
  firstNs: ns.nullable(),
  lastNs: ns.nullable(),
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  decimals: z.strictObject({ price: count, amount: count, rate: count }),
  /** The market's grid, if its exchange published it. */
  grid: z.strictObject({ tickSize: z.string(), stepSize: z.string() }).optional(),
  sources: z.array(source),
  /** The largest id of a day of trades. */
  lastId: ns.optional(),
  /** Missing candles of the covered time; absent if none is missing. */
  missingCandles: z
    .strictObject({
      missing: count,
      of: count,
      /** Those that the source is assumed to omit for want of trades; they are not holes. */
      quiet: count.optional(),
      /**
       * The longest run of candles that counts as quiet; absent if `quiet` is, and in manifests of
       * earlier versions.
       */
      quietUpTo: count.optional(),
    })
    .optional(),
  /** Inconsistencies found when it was written. */
  findings: z.array(z.string()),
});

const formatOne = z.looseObject({
  format: z.literal(1),
  findings: z.array(z.string()),
  sources: z.array(z.looseObject({})),
});

/**
 * The facts about one day's file: beside it as `<day>.json`, and in its own metadata without its
 * checksum.
 */
export type DayManifest = z.infer<typeof manifest>;

/** A stretch of a book in a day's manifest. */
export type BookStretch = z.infer<typeof stretch>;

/** A stretch of a file that is being read, before it belongs to a day. */
export interface ChainStretch extends Omit<BookStretch, "file"> {
  readonly day: Day;
}

/** The origin of rows. */
export type SourceNote = z.infer<typeof source>;

/**
 * A manifest as read, with the CRC-32 of the rest of it, since one wrong digit may move every price
 * or hide a gap. Absent in manifests of earlier versions.
 */
const checked = z.looseObject({ check: z.string().optional() });

/** The text of the manifest beside a day's file. */
export function manifestText(day: DayManifest): string {
  return `${JSON.stringify({ ...day, check: checkOf(day) }, undefined, 2)}\n`;
}

function checkOf(value: object): string {
  return crc32(JSON.stringify(value)).toString(16).padStart(8, "0");
}

/** Reads a day's manifest. @throws HistoryError naming the file if it is invalid or was changed */
export function readManifest(path: string, market: string, kind: string, day: Day): DayManifest {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new HistoryError(path, "is not a manifest: it cannot be read as JSON", {
      expected: "a file that this program wrote",
      cause,
    });
  }
  const read = manifest.safeParse(ofThisFormat(unchanged(path, value)));
  if (!read.success) {
    const { path: key, value: held, expected } = findSchemaViolation(read.error, value);
    throw new HistoryError(path, `is not a manifest: its ${key} is invalid`, {
      value: held,
      expected,
    });
  }
  const { data } = read;
  if (data.market !== market || data.kind !== kind || data.day !== day) {
    throw new HistoryError(path, "is in the wrong folder or has the wrong name", {
      value: `${data.market}/${data.kind}/${data.day}`,
      expected: `${market}/${kind}/${day}`,
    });
  }
  return data;
}

/**
 * A manifest without its checksum.
 * @throws HistoryError if the rest of it differs from the text that was written
 */
function unchanged(path: string, value: unknown): unknown {
  const parsed = checked.safeParse(value);
  if (!parsed.success || parsed.data.check === undefined) return value;
  const { check, ...rest } = parsed.data;
  const made = checkOf(rest);
  if (made === check) return rest;
  throw new HistoryError(path, "is broken: its checksum differs", {
    value: made,
    expected: `${check}, the checksum in the file; restore a copy, or delete the day's two files and import or download the day again`,
  });
}

/** The finding of a day with missing candles. */
export function missingText({
  missing,
  of,
  quiet = 0,
}: NonNullable<DayManifest["missingCandles"]>): string {
  const all = `${missing} of ${of} candles are missing`;
  return quiet === 0 ? all : `${all}, ${quiet} of them taken for times without a trade`;
}

/** The finding of a day with missing trades. */
export function missingTradesText({ missing, breaks }: NonNullable<DayManifest["ids"]>): string {
  const trades = missing === 1 ? "1 trade is missing" : `${missing} trades are missing`;
  return `${trades} in ${breaks} ${breaks === 1 ? "place" : "places"}, as their ids tell`;
}

/** True if rows came from an exchange, which reports what its list lacks, and not from a file. */
export function isFromExchange({ name, sha256 }: Pick<SourceNote, "name" | "sha256">): boolean {
  return sha256 === undefined || name.includes("://");
}

/** Format 1 stored this only as a finding. */
const NUMBERED = /: the number of the row stands for each$/;
const MISSING = /^(\d+) of (\d+) candles are missing$/;

/** Converts a manifest of format 1 to the current one; other values are unchanged. */
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
