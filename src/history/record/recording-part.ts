import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../../core/files/atomic-file.js";
import type { MarketId } from "../../core/units.js";
import { HistoryError } from "../history-errors.js";
import { readStagedRecords, StagedRecords } from "../staging/staged-records.js";
import { makeStoreFolder } from "../store/store-folder.js";

/** The kinds of history that a recording of a market writes. */
export const RECORDED_KINDS = ["book", "trades", "marks", "orders", "fills"] as const;

/** A kind that a recording of a market, or of a source of reference prices, writes. */
export type RecordedKind = (typeof RECORDED_KINDS)[number] | "reference";

/**
 * The streams of a recording: the book counts from a snapshot on, the others from their connection
 * on.
 */
export type RecordedStream = "book" | "market" | "account" | "reference";

const header = z.strictObject({
  format: z.literal(1),
  market: z.string(),
  source: z.string(),
  /** Absent for a source of reference prices, which has no grid. */
  grid: z.strictObject({ tickSize: z.string(), stepSize: z.string() }).optional(),
  /**
   * The smallest latency that the recorder had measured when it began this part, whole
   * microseconds.
   */
  smallestUs: z.int().optional(),
  /**
   * The least amount by which its clock lags the exchange's, below zero; used if no exchange stamp
   * is received.
   */
  behindUs: z.int().optional(),
});

/** The header of a part. */
type PartHeader = z.infer<typeof header>;

const note = z.union([
  z.strictObject({
    at: z.int(),
    stream: z.enum(["book", "market", "account", "reference"]),
    isHeard: z.boolean(),
  }),
  z.strictObject({ at: z.int(), finding: z.string() }),
  /** The number of unlisted findings of the part so far. */
  z.strictObject({ at: z.int(), leftOut: z.int() }),
  z.strictObject({ at: z.int(), alive: z.literal(true) }),
  z.strictObject({ at: z.int(), ended: z.literal(true) }),
]);

/** A note about a recording, at a local instant in whole microseconds. */
export type PartNote = z.infer<typeof note>;

/**
 * A part of a recording of one market, from its beginning or midnight to the next midnight or its
 * end: one file of records per kind, and one of notes. Flushed records outlive the process. Readers
 * of the store do not see them before the part is sealed.
 */
export class RecordingPart {
  readonly folder: string;
  readonly #files = new Map<string, StagedRecords>();

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Begins a part. @param place unique among the parts of the market. */
  static begin(parent: string, place: number, facts: Omit<PartHeader, "format">): RecordingPart {
    const folder = join(parent, `part-${place}`);
    makeStoreFolder(folder);
    replaceFile(join(folder, "part.json"), JSON.stringify({ format: 1, ...facts }));
    return new RecordingPart(folder);
  }

  add(kind: RecordedKind, record: object): void {
    this.#file(kind).add(record);
  }

  /** Adds a kind to this part, even if no record follows. */
  touch(kind: RecordedKind): void {
    this.#file(kind);
  }

  note(entry: PartNote): void {
    this.#file("notes").add(entry);
  }

  /**
   * Hands the added lines to the operating system, so that they outlive the process. Notes go last,
   * since they state how far the records are complete.
   */
  flush(): void {
    for (const [name, file] of this.#files) if (name !== "notes") file.flush();
    this.#files.get("notes")?.flush();
  }

  close(): void {
    try {
      this.flush();
    } finally {
      this.abandon();
    }
  }

  /** Closes its files as they are. */
  abandon(): void {
    for (const file of this.#files.values()) file.abandon();
    this.#files.clear();
  }

  #file(name: RecordedKind | "notes"): StagedRecords {
    const open = this.#files.get(name) ?? new StagedRecords(join(this.folder, `${name}.ndjson`));
    this.#files.set(name, open);
    return open;
  }
}

/** The folder of a market's recordings until they are sealed. */
export function recordingFolder(root: string, market: MarketId): string {
  return join(root, ".staging", market, "recording");
}

/** The folder of a reference source's recordings until they are sealed. */
export function referenceRecordingFolder(root: string, source: string): string {
  return join(root, ".staging", source, "reference-recording");
}

/** The parts of a folder, in the order of their beginning. */
export function partsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const places = readdirSync(folder).flatMap((name) => /^part-(\d+)$/.exec(name)?.[1] ?? []);
  return places
    .sort((one, other) => Number(one) - Number(other))
    .map((place) => join(folder, `part-${place}`));
}

/**
 * Reads a part's header; undefined if the recorder ended before writing it.
 * @throws HistoryError if this program did not write it
 */
export function readPart(
  folder: string,
): { readonly header: PartHeader; readonly notes: readonly PartNote[] } | undefined {
  const path = join(folder, "part.json");
  if (!existsSync(path)) return undefined;
  const parsedHeader = header.safeParse(parsed(path, readFileSync(path, "utf8")));
  if (!parsedHeader.success) throw foreign(path, parsedHeader.error.message);
  const notesPath = join(folder, "notes.ndjson");
  const notes = readStagedRecords(notesPath).map((record) => {
    const read = note.safeParse(record);
    if (!read.success) throw foreign(notesPath, JSON.stringify(record));
    return read.data;
  });
  return { header: parsedHeader.data, notes };
}

/**
 * The path of a kind's records, truncated after the last complete one; undefined if there are none.
 */
export function recordsOf(folder: string, kind: RecordedKind): string | undefined {
  const path = join(folder, `${kind}.ndjson`);
  if (!existsSync(path)) return undefined;
  new StagedRecords(path).close();
  return path;
}

/** Deletes a part that is in the store. */
export function dropPart(folder: string): void {
  // Without its header the rest is ignored, if the process ends in between.
  rmSync(join(folder, "part.json"), { force: true });
  rmSync(folder, { recursive: true, force: true });
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HistoryError(path, "is not a part of a recording: it cannot be read as JSON", {
      expected: "a file that this program wrote",
      cause,
    });
  }
}

function foreign(path: string, value: string): HistoryError {
  return new HistoryError(path, "is not a part of a recording", {
    value,
    expected: "a file that this program wrote",
  });
}
