import { rmSync } from "node:fs";
import { renameDurably, syncPath } from "../../core/files/atomic-file.js";
import type { Day } from "../../history/day.js";
import { Duck, pathSql } from "../../history/store/duck.js";
import { DAY_COLUMNS, dayColumnType } from "./day-columns.js";
import { linesPath, listDays, parquetPath } from "./day-folder.js";

/** Small: it runs beside a bot. */
const LIMITS = { memoryMb: 256, threads: 1 } as const;

/** Rows of a row group: two weeks of three markets a minute, so that a day is one. */
const GROUP_ROWS = 122_880;

/** The columns of the day files as an argument of DuckDB's `read_json`. */
function columnsSql(): string {
  return DAY_COLUMNS.map((column) => `"${column.name}": '${dayColumnType(column)}'`).join(", ");
}

/**
 * The rows of a file of lines as SQL. A line that a crash has cut is left out: `AppendOnlyFile`
 * drops it too.
 */
function linesSql(path: string): string {
  return `read_json(${pathSql(path)}, format='newline_delimited', compression='uncompressed', ignore_errors=true, columns={${columnsSql()}})`;
}

/** Writes rows into a Parquet file of a day, which appears whole or not at all. */
export async function writeDayParquet(duck: Duck, select: string, path: string): Promise<void> {
  const beside = `${path}.new`;
  await duck.run(
    `COPY (${select}) TO ${pathSql(beside)} (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, ROW_GROUP_SIZE ${GROUP_ROWS})`,
  );
  syncPath(beside);
  renameDurably(beside, path);
}

/**
 * Turns the lines of all days before `today` into Parquet files, and removes them. A kill in
 * between leaves both files of a day, which are read as one and joined by the next call.
 * @returns the days that were turned
 * @throws RunError without DuckDB; Error of the database or the disk: the lines stay then
 */
export async function sealDays(folder: string, today: Day): Promise<readonly Day[]> {
  const over = listDays(folder).filter(({ day, hasLines }) => hasLines && day < today);
  if (over.length === 0) return [];
  const duck = await Duck.open(folder, LIMITS);
  try {
    for (const { day, hasParquet } of over) {
      const [lines, parquet] = [linesPath(folder, day), parquetPath(folder, day)];
      const from = linesSql(lines);
      const select = hasParquet
        ? `SELECT * FROM (SELECT * FROM read_parquet(${pathSql(parquet)}) UNION ALL SELECT l.* FROM ${from} l ANTI JOIN read_parquet(${pathSql(parquet)}) p USING ("session", "atMs", "marketId")) ORDER BY "session", "atMs", "marketId"`
        : `SELECT * FROM ${from}`;
      await writeDayParquet(duck, select, parquet);
      rmSync(lines);
    }
  } finally {
    duck.close();
  }
  return over.map(({ day }) => day);
}
