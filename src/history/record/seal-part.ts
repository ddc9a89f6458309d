import type { Ms } from "../../core/units.js";
import { instantText } from "../day.js";
import { hashFile } from "../file-hash.js";
import { bookShape, marksShape, tradesShape } from "../import/formats/exchange-shapes.js";
import { findGaps, mergeSpans, type Span, totalLengthMs } from "../spans.js";
import { cleanClocks } from "../staging/clean-clocks.js";
import { dropRows, stageRows } from "../staging/stage-rows.js";
import { writeDays } from "../staging/write-days.js";
import type { DayManifest } from "../store/day-manifest.js";
import { Duck, type DuckLimits } from "../store/duck.js";
import type { HistoryStore, Series } from "../store/history-store.js";
import { fillsSql, ordersSql, referenceSql } from "./own-shapes.js";
import {
  dropPart,
  type PartNote,
  RECORDED_KINDS,
  type RecordedKind,
  type RecordedStream,
  readPart,
  recordsOf,
} from "./recording-part.js";

/** A sealed kind of a recording. */
export interface SealedKind {
  readonly kind: RecordedKind;
  readonly rows: number;
  readonly days: readonly DayManifest[];
}

const STREAM_OF_KIND: Readonly<Record<RecordedKind, RecordedStream>> = {
  book: "book",
  trades: "market",
  marks: "market",
  orders: "account",
  fills: "account",
  reference: "reference",
};
/** Requests originate here: their exchange time is our corrected clock. */
const REQUESTS = "what IN ('place', 'cancel', 'cancel-all')";
/**
 * Two consecutive parts of one recorder may overlap or leave a gap of this length, since their
 * clocks are corrected separately.
 */
export const MAX_PART_GAP_MS: Ms = 1000;

/**
 * Puts a part of a recording into the store, and deletes it. If the process ends in between, the
 * next seal of the part continues: it recognises what is in the store by its checksum.
 *
 * Book messages and marks carry no exchange stamp. They get their reception time, minus the
 * smallest latency of all records with an exchange stamp up to the part's end.
 * @throws HistoryError naming a file that is broken or contradicts the store; RunError while
 * another process writes a series
 */
export async function sealPart(
  store: HistoryStore,
  folder: string,
  limits?: DuckLimits,
): Promise<readonly SealedKind[]> {
  const part = readPart(folder);
  if (part === undefined) {
    dropPart(folder);
    return [];
  }
  const { market, source, grid } = part.header;
  const duck = await Duck.open(store.spillFolder, limits);
  try {
    const found: { readonly kind: RecordedKind; readonly path: string; readonly select: string }[] =
      [];
    for (const kind of [...RECORDED_KINDS, "reference"] as const) {
      const path = recordsOf(folder, kind);
      if (path !== undefined) found.push({ kind, path, select: await selectOf(duck, kind, path) });
    }
    const stamped = found.filter(
      ({ kind }) => kind === "trades" || kind === "orders" || kind === "fills",
    );
    const [clock] = await cleanClocks(
      duck,
      stamped.map(({ kind, path, select }) => ({
        file: path,
        shaped: { kind, select, findings: [] },
      })),
      { partsAt: [], baseLatencyNs: 0n },
    );
    const known = [
      clock?.smallestNs,
      part.header.smallestUs === undefined ? undefined : BigInt(part.header.smallestUs) * 1000n,
    ];
    const smallestNs =
      known.reduce((least, each) =>
        each !== undefined && (least === undefined || each < least) ? each : least,
      ) ?? BigInt(part.header.behindUs ?? 0) * 1000n;
    const addedNs = smallestNs < 0n ? -smallestNs : 0n;
    const { heard, findings } = readNotes(part.notes, smallestNs);
    const sealed: SealedKind[] = [];
    for (const { kind, path, select } of found) {
      const unstamped =
        kind === "orders"
          ? `CASE WHEN ${REQUESTS} THEN recvNs + ${addedNs} ELSE recvNs - (${smallestNs}) END`
          : `recvNs - (${smallestNs})`;
      const timed =
        kind === "reference"
          ? select
          : `SELECT * REPLACE (coalesce(timeNs, ${unstamped}) AS timeNs) FROM (${select})`;
      const series: Series = { market, kind };
      const rows = await stageRows(duck, {
        series,
        select: timed,
        file: path,
        path: `${path}.parquet`,
        grid,
      });
      const lock = await store.open(series);
      try {
        const days = await writeDays(store, duck, {
          series,
          rows,
          file: path,
          source: {
            name: source,
            sha256: await hashFile(path),
            clock: [{ fromSeq: "0", addedNs: String(addedNs), smallestNs: String(smallestNs) }],
          },
          recvShift: addedNs === 0n ? undefined : String(addedNs),
          covered: withoutPartOverlap(heard[STREAM_OF_KIND[kind]], store.writtenDays(series)),
          grid,
          findings,
        });
        sealed.push({ kind, rows: rows.rows, days });
        dropRows(rows);
      } finally {
        lock.release();
      }
    }
    dropPart(folder);
    return sealed;
  } finally {
    duck.close();
  }
}

async function selectOf(duck: Duck, kind: RecordedKind, path: string): Promise<string> {
  if (kind === "book") return (await bookShape(duck, path, path)).select;
  if (kind === "trades") return tradesShape(path, { format: "ndjson" }).select;
  if (kind === "marks") return marksShape(path, { format: "ndjson" }).select;
  if (kind === "reference") return referenceSql(path);
  return kind === "orders" ? ordersSql(path) : fillsSql(path);
}

/** The connected times by the exchange's clock, and the findings. */
function readNotes(
  notes: readonly PartNote[],
  smallestNs: bigint,
): {
  readonly heard: Readonly<Record<RecordedStream, readonly Span[]>>;
  readonly findings: readonly string[];
} {
  const msOf = (us: number): number => Number((BigInt(us) * 1000n - smallestNs) / 1_000_000n);
  const since = new Map<RecordedStream, number>();
  const received: Record<RecordedStream, Span[]> = {
    book: [],
    market: [],
    account: [],
    reference: [],
  };
  const findings: string[] = [];
  const end = (stream: RecordedStream, us: number): void => {
    const from = since.get(stream);
    if (from !== undefined) received[stream].push([msOf(from), msOf(us) + 1]);
    since.delete(stream);
  };
  for (const entry of notes) {
    if ("finding" in entry) findings.push(`${instantText(msOf(entry.at))}: ${entry.finding}`);
    if (!("stream" in entry)) continue;
    if (!entry.isHeard) end(entry.stream, entry.at);
    else if (!since.has(entry.stream)) since.set(entry.stream, entry.at);
  }
  const last = notes.at(-1);
  if (last === undefined) return { heard: received, findings };
  for (const stream of [...since.keys()]) end(stream, last.at);
  if (!("ended" in last))
    findings.push(`${instantText(msOf(last.at))}: the recording ended without being closed`);
  const left = notes.findLast((entry) => "leftOut" in entry);
  if (left !== undefined)
    findings.push(`${instantText(msOf(left.at))}: ${left.leftOut} more findings are not listed`);
  return { heard: received, findings };
}

/** The connected times, without the overlap at their edges with the stored part before. */
function withoutPartOverlap(
  received: readonly Span[],
  days: readonly DayManifest[],
): readonly Span[] {
  const held = days.flatMap(({ covered }) => covered);
  return mergeSpans(received).flatMap((span) => {
    const rest = findGaps(held, span);
    const cut = totalLengthMs([span]) - totalLengthMs(rest);
    // A longer overlap is another recording of the same time, and is refused if its kind has no
    // key.
    return cut <= MAX_PART_GAP_MS ? rest : [span];
  });
}
