import { tmpdir } from "node:os";
import { readWholeLines } from "../../core/files/durable-log.js";
import type { Ms } from "../../core/units.js";
import { type Day, toDay } from "../../history/day.js";
import { Duck } from "../../history/store/duck.js";
import { linesPath, listDays, parquetPath } from "./day-folder.js";
import { type DayRow, parseDayRow } from "./day-row.js";
import { readParquetRows } from "./parquet-rows.js";

/** A span of time, ms since 1970; `toMs` is outside. */
export interface DaySpan {
  readonly fromMs: Ms;
  readonly toMs: Ms;
}

/** Which rows are read. */
export type RowChoice = "all" | "facts-and-fills";

/** The rows of some intervals, in order, and the number of lines that were not rows. */
export interface DayRowBatch {
  readonly rows: readonly DayRow[];
  readonly unread: number;
}

/**
 * Reads the rows of a folder of day files in order of time, some thousands at once: those of days
 * that are over from Parquet, the others from lines. It may run beside a bot that writes there.
 * @param span days outside are not opened; rows of the days at its ends are all given
 * @param rows `facts-and-fills`: only rows with facts of a run or with fills, which are few
 * @throws RunError for Parquet files without DuckDB; Error of the database for a damaged file
 */
export async function* readDays(
  folder: string,
  span?: DaySpan,
  rows: RowChoice = "all",
): AsyncGenerator<DayRowBatch, void> {
  const [first, last] = span === undefined ? ["", "9"] : [toDay(span.fromMs - 1), toDay(span.toMs)];
  const days = listDays(folder).filter(({ day }) => day >= first && day <= last);
  let duck: Duck | undefined;
  const open = async (): Promise<Duck> => {
    duck ??= await Duck.open(tmpdir());
    return duck;
  };
  try {
    for (let at = 0; at < days.length; ) {
      // Days that are Parquet alone are read by one query.
      let end = at;
      while (days[end]?.hasParquet === true && days[end]?.hasLines === false) end += 1;
      if (end > at) {
        const paths = days.slice(at, end).map(({ day }) => parquetPath(folder, day));
        for await (const part of readParquetRows(await open(), paths, WHERE[rows]))
          yield { rows: part, unread: 0 };
        at = end;
        continue;
      }
      yield* readLines(folder, (days[at] as { readonly day: Day }).day, rows, open);
      at += 1;
    }
  } finally {
    duck?.close();
  }
}

const WHERE: Readonly<Record<RowChoice, string>> = {
  all: "true",
  "facts-and-fills": "facts IS NOT NULL OR fills IS NOT NULL",
};

/** A day with lines, which a sealing may replace by a Parquet file meanwhile. */
async function* readLines(
  folder: string,
  day: Day,
  choice: RowChoice,
  open: () => Promise<Duck>,
): AsyncGenerator<DayRowBatch, void> {
  const seen = new Set<string>();
  let sealed = listDays(folder).some((files) => files.day === day && files.hasParquet);
  let found: DayRowBatch = { rows: [], unread: 0 };
  try {
    found = parseLines(linesPath(folder, day));
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) throw cause;
    sealed = true;
  }
  if (sealed)
    for await (const rows of readParquetRows(
      await open(),
      [parquetPath(folder, day)],
      WHERE[choice],
    )) {
      for (const row of rows) seen.add(keyOf(row));
      yield { rows, unread: 0 };
    }
  const isChosen = (row: DayRow): boolean =>
    choice === "all" || row.facts !== undefined || row.fills !== undefined;
  yield { ...found, rows: found.rows.filter((row) => !seen.has(keyOf(row)) && isChosen(row)) };
}

function parseLines(path: string): DayRowBatch {
  const rows: DayRow[] = [];
  let unread = 0;
  for (const line of readWholeLines(path)) {
    const row = parseDayRow(line);
    if (row === undefined) unread += 1;
    else rows.push(row);
  }
  return { rows, unread };
}

function keyOf({ session, atMs, marketId }: DayRow): string {
  return `${session} ${atMs} ${marketId}`;
}
