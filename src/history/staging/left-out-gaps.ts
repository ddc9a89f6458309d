import type { ShapedFile } from "../import/formats/shape.js";
import { ROW_NUMBER } from "../import/text/row-numbers.js";
import { type HistoryKind, intervalFor, intervalToMs, WHOLE_FROM_LEVEL } from "../kinds.js";
import { lostSpan, mergeSpans, type Span, totalLengthMs } from "../spans.js";
import { type Duck, type Row, toBigInt } from "../store/duck.js";
import type { LeftOutRow } from "./left-out-rows.js";

/** The unknown times of a file from which rows were left out, in milliseconds since 1970. */
export interface LeftOutGaps {
  /** For a book: the time in which it is unknown. */
  readonly lost: readonly Span[];
  /** For another kind: the time of missing rows, from the row before to the row after. */
  readonly holes: readonly Span[];
  /** For a book: the number of its snapshots that lack rows. */
  readonly cutSnapshots: number;
}

export const NO_GAPS: LeftOutGaps = { lost: [], holes: [], cutSnapshots: 0 };

/** Before the first and after the last possible record. */
const [BEFORE_ALL_MS, AFTER_ALL_MS] = [0, 8.64e15];

/** An omitted row and its neighbours in the file. Undefined means missing or unknown. */
interface LeftOutContext {
  readonly isSnapshot: boolean | undefined;
  readonly before: Neighbour | undefined;
  readonly after: Neighbour | undefined;
  /** The time of a book's next snapshot. */
  readonly wholeMs: number | undefined;
}

interface Neighbour {
  readonly ms: number;
  readonly isSnapshot: boolean;
  /** For a book: the number of its message. */
  readonly message: bigint;
}

/**
 * Finds the gaps that omitted rows leave. The time between two remaining rows is unknown. A book is
 * unknown from there to its next snapshot, since any level may have changed. A snapshot without
 * some of its rows still replaces the book, and lacks levels until their next update.
 * @param rows SQL of the kind's columns and {@link ROW_NUMBER}
 */
export async function leftOutGaps(
  duck: Duck,
  kind: HistoryKind,
  rows: string,
  leftOut: readonly LeftOutRow[],
  messageRows?: ShapedFile["messageRows"],
): Promise<LeftOutGaps> {
  if (leftOut.length === 0 || messageRows === "chained") return NO_GAPS;
  const isBook = kind === "book";
  const found = await besideEach(duck, rows, leftOut, isBook);
  if (!isBook)
    return {
      ...NO_GAPS,
      holes: mergeSpans(found.map((each) => holeAt(each, intervalToMs(intervalFor(kind)) ?? 1))),
    };
  const isWhole = await areWhole(duck, rows);
  const cut = new Set<bigint>();
  const lost = found.flatMap((each) => {
    const snapshots = messageRows === undefined ? cutSnapshotsAt(each) : [];
    for (const { message } of snapshots) cut.add(message);
    // The rows of such a snapshot show how far it replaces a side, and some are missing. So the
    // book begins anew with it.
    const begun = isWhole ? [] : snapshots.map(({ ms }) => lostSpan(ms, ms));
    return snapshots.length > 0 && isSnapshotAt(each) === true ? begun : [...begun, lostAt(each)];
  });
  return { lost: mergeSpans(lost), holes: [], cutSnapshots: cut.size };
}

/** The import's findings about the gaps. */
export function leftOutFindings({ lost, cutSnapshots }: LeftOutGaps): string[] {
  const isToEnd = lost.at(-1)?.[1] === AFTER_ALL_MS;
  const ended = lost.filter(([from, to]) => from > BEFORE_ALL_MS && to < AFTER_ALL_MS);
  const spells =
    ended.length === 0
      ? []
      : [`for ${totalLengthMs(ended) / 1000} s, each time to the next snapshot`];
  const rest = isToEnd ? ["at its end, since no snapshot follows"] : [];
  const times = [...spells, ...rest];
  return [
    ...(times.length === 0
      ? []
      : [`rows of its messages were left out: the book is unknown ${times.join(", and ")}`]),
    ...(cutSnapshots === 0 ? [] : [cutSnapshotsText(cutSnapshots)]),
  ];
}

/** The number of snapshots that lack rows, in words. */
export function cutSnapshotsText(snapshots: number): string {
  return `${snapshots === 1 ? "1 snapshot lacks" : `${snapshots} snapshots lack`} rows that were left out: levels are missing until an update repeats them`;
}

/** True if snapshots replace the whole book, not only as far as their rows reach. */
async function areWhole(duck: Duck, rows: string): Promise<boolean> {
  const { first } = await duck.row(`SELECT min(level) AS first FROM (${rows}) WHERE isSnapshot`);
  return toBigInt(first) >= BigInt(WHOLE_FROM_LEVEL);
}

async function besideEach(
  duck: Duck,
  rows: string,
  leftOut: readonly LeftOutRow[],
  isBook: boolean,
): Promise<LeftOutContext[]> {
  const table = duck.newTable();
  const columns = `${ROW_NUMBER} AS rowNumber, timeNs // 1000000 AS ms, ${isBook ? "isSnapshot, seq" : "false AS isSnapshot, 0 AS seq"}`;
  const values = leftOut
    .map(({ place, isSnapshot }) => `(${place}, ${isSnapshot ?? "NULL"})`)
    .join(", ");
  await duck.run(`CREATE TEMP TABLE ${table} AS SELECT ${columns} FROM (${rows})`);
  try {
    const from = [
      `(SELECT * FROM (VALUES ${values}) AS told(place, isSnapshot)) AS l`,
      `ASOF LEFT JOIN ${table} AS b ON l.place >= b.rowNumber`,
      `ASOF LEFT JOIN ${table} AS a ON l.place < a.rowNumber`,
      `ASOF LEFT JOIN (SELECT * FROM ${table} WHERE isSnapshot) AS s ON l.place < s.rowNumber`,
    ];
    const of = (name: string): string =>
      `${name}.ms AS ${name}Ms, ${name}.isSnapshot AS ${name}IsSnapshot, ${name}.seq AS ${name}Seq`;
    const found = await duck.rows(
      `SELECT l.isSnapshot, ${of("b")}, ${of("a")}, s.ms AS wholeMs FROM ${from.join(" ")} ORDER BY l.place`,
    );
    return found.map((row) => ({
      isSnapshot: typeof row.isSnapshot === "boolean" ? row.isSnapshot : undefined,
      before: neighbourIn(row, "b"),
      after: neighbourIn(row, "a"),
      wholeMs: row.wholeMs === null ? undefined : Number(row.wholeMs),
    }));
  } finally {
    await duck.run(`DROP TABLE ${table}`);
  }
}

function neighbourIn(row: Row, name: "a" | "b"): Neighbour | undefined {
  const ms = row[`${name}Ms`];
  if (ms === null || ms === undefined) return undefined;
  return {
    ms: Number(ms),
    isSnapshot: row[`${name}IsSnapshot`] === true,
    message: toBigInt(row[`${name}Seq`]),
  };
}

/** The newest row of a file may come first. @param lastsMs duration of a record */
function holeAt({ before, after }: LeftOutContext, lastsMs: number): Span {
  const [from, to] = [before?.ms ?? BEFORE_ALL_MS, after?.ms ?? AFTER_ALL_MS].sort(
    (one, other) => one - other,
  ) as [number, number];
  return [from + lastsMs, to];
}

/**
 * True if the row belonged to a snapshot, by its own flag, or because it lies within the rows of
 * one message.
 */
function isSnapshotAt({ isSnapshot, before, after }: LeftOutContext): boolean | undefined {
  const isWithin = before !== undefined && after !== undefined && before.message === after.message;
  return isSnapshot ?? (isWithin ? before.isSnapshot : undefined);
}

/** The snapshots to which the row may have belonged. */
function cutSnapshotsAt(beside: LeftOutContext): Neighbour[] {
  if (isSnapshotAt(beside) === false) return [];
  return [beside.before, beside.after].flatMap((each) => (each?.isSnapshot === true ? [each] : []));
}

function lostAt({ before, after, wholeMs }: LeftOutContext): Span {
  const fromMs = Math.min(
    before === undefined ? BEFORE_ALL_MS : before.ms + (after === undefined ? 0 : 1),
    after?.ms ?? AFTER_ALL_MS,
  );
  return lostSpan(fromMs, wholeMs ?? AFTER_ALL_MS);
}
