import { FormatError, MarketwrightError } from "../../../core/errors.js";
import type { Instrument } from "../../../core/instrument.js";
import type { Ms } from "../../../core/units.js";
import {
  type CapturedBook,
  type CapturedMark,
  type CapturedTrade,
  type CaptureEvent,
  compareCaptured,
} from "./capture-events.js";
import type { CaptureFiles } from "./capture-files.js";
import {
  decodeBook,
  decodeMark,
  decodeTrade,
  parseCsvRecord,
  parseJsonRecord,
  type RawRecord,
  splitCsv,
} from "./capture-records.js";
import { GridDecoder } from "./grid-decoder.js";
import { readGzipLines } from "./gzip-lines.js";

/**
 * The maximum delay of a record against the exchange's clock within one file. A snapshot fetched
 * over REST follows updates that are newer than it; anything later means a damaged file.
 */
const MAX_DISORDER_MS: Ms = 5_000;

/**
 * Streams one capture in the order of the exchange's clock: books, trades and marks merged by
 * (`timestamp` or `time`, `line`). Batches hold the lines of one inflated chunk, so memory does not
 * grow with the capture.
 * @throws FormatError naming file and line for a broken or foreign file; RunError when a file
 * cannot be read.
 */
export async function* readCapture(
  files: CaptureFiles,
  instrument: Instrument,
): AsyncGenerator<CaptureEvent[]> {
  const grid = new GridDecoder(instrument);
  const streams = [
    orderedRecords(
      readRecords(files.books, (record, line): CapturedBook => decodeBook(record, line, grid)),
    ),
  ];
  if (files.trades !== null) {
    streams.push(
      orderedRecords(
        readRecords(files.trades, (record, line): CapturedTrade => decodeTrade(record, line, grid)),
      ),
    );
  }
  if (files.mark !== null)
    streams.push(
      orderedRecords(
        readRecords(files.mark, (record, line): CapturedMark => decodeMark(record, line)),
      ),
    );
  try {
    yield* mergeOrdered(streams);
  } finally {
    await Promise.all(streams.map((stream) => stream.return(undefined)));
  }
}

/** Decoded records, each with its line in the file. */
interface LocatedBatch {
  readonly path: string;
  readonly events: readonly CaptureEvent[];
  readonly fileLines: readonly number[];
}

/** Decodes a file's lines; every error names the file and its line. */
async function* readRecords(
  path: string,
  decode: (record: RawRecord, line: number) => CaptureEvent,
): AsyncGenerator<LocatedBatch> {
  const isCsv = path.endsWith(".csv.gz");
  let header: string[] | null = null;
  let line = 0;
  for await (const lines of readGzipLines(path)) {
    const events: CaptureEvent[] = [];
    const fileLines: number[] = [];
    for (const text of lines) {
      line += 1;
      if (isCsv && header === null) {
        header = splitCsv(text);
        continue;
      }
      try {
        events.push(
          decode(header === null ? parseJsonRecord(text) : parseCsvRecord(header, text), line),
        );
      } catch (error) {
        if (!(error instanceof MarketwrightError)) throw error;
        throw new FormatError(error.message, { field: `${path}:${line}`, cause: error });
      }
      fileLines.push(line);
    }
    if (events.length > 0) yield { path, events, fileLines };
  }
  if (line === 0)
    throw new FormatError("is empty", { field: `${path}:1`, expected: "at least one record" });
}

/** Sorts records that are out of order by at most {@link MAX_DISORDER_MS}. */
async function* orderedRecords(
  batches: AsyncGenerator<LocatedBatch>,
): AsyncGenerator<CaptureEvent[]> {
  let held: CaptureEvent[] = [];
  let newestMs = Number.NEGATIVE_INFINITY;
  for await (const { path, events, fileLines } of batches) {
    for (let i = 0; i < events.length; i += 1) {
      const { timeMs } = events[i];
      if (timeMs < newestMs - MAX_DISORDER_MS) {
        throw new FormatError("is far out of order", {
          field: `${path}:${fileLines[i]}`,
          value: timeMs,
          expected: `a time at most ${MAX_DISORDER_MS} ms before ${newestMs}`,
        });
      }
      newestMs = Math.max(newestMs, timeMs);
      insertOrdered(held, events[i]);
    }
    const settledMs = newestMs - MAX_DISORDER_MS;
    let settled = 0;
    while (held[settled].timeMs < settledMs) settled += 1;
    if (settled === 0) continue;
    const ready = held.slice(0, settled);
    held = held.slice(settled);
    yield ready;
  }
  if (held.length > 0) yield held;
}

function insertOrdered(held: CaptureEvent[], event: CaptureEvent): void {
  let at = held.length;
  while (at > 0 && compareCaptured(held[at - 1], event) > 0) at -= 1;
  if (at === held.length) held.push(event);
  else held.splice(at, 0, event);
}

/** Merges ordered streams; on a full tie books come before trades, and trades before marks. */
async function* mergeOrdered(
  streams: readonly AsyncGenerator<CaptureEvent[]>[],
): AsyncGenerator<CaptureEvent[]> {
  const heads: { stream: AsyncGenerator<CaptureEvent[]>; batch: CaptureEvent[]; at: number }[] = [];
  for (const stream of streams) {
    const first = await stream.next();
    if (!first.done) heads.push({ stream, batch: first.value, at: 0 });
  }
  let out: CaptureEvent[] = [];
  while (heads.length > 0) {
    let earliest = heads[0];
    for (const head of heads) {
      if (compareCaptured(head.batch[head.at], earliest.batch[earliest.at]) < 0) earliest = head;
    }
    out.push(earliest.batch[earliest.at]);
    earliest.at += 1;
    if (earliest.at < earliest.batch.length) continue;
    yield out;
    out = [];
    const next = await earliest.stream.next();
    if (next.done) {
      heads.splice(heads.indexOf(earliest), 1);
    } else {
      earliest.batch = next.value;
      earliest.at = 0;
    }
  }
  if (out.length > 0) yield out;
}
