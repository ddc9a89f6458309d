import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Day, parseDayStart, toDay } from "../../history/day.js";
import type { DayRow } from "./day-row.js";

/** The folder of the day files, in the folder of a bot's state. */
export const DAYS_FOLDER = "days";

/** The file of a day while it is written, and for good without DuckDB. */
export function linesPath(folder: string, day: Day): string {
  return join(folder, `${day}.jsonl`);
}

/** The file of a day that is over. */
export function parquetPath(folder: string, day: Day): string {
  return join(folder, `${day}.parquet`);
}

/** The day whose file has a row: an interval that ends at midnight belongs to the day before. */
export function dayOfRow({ fromMs, atMs }: Pick<DayRow, "fromMs" | "atMs">): Day {
  return toDay(Math.max(fromMs, atMs - 1));
}

/** The files of one day. */
export interface DayFiles {
  readonly day: Day;
  readonly hasLines: boolean;
  readonly hasParquet: boolean;
}

/** The days that a folder has files of, in order; none without the folder. */
export function listDays(folder: string): readonly DayFiles[] {
  const days = new Map<Day, { hasLines: boolean; hasParquet: boolean }>();
  for (const name of namesIn(folder)) {
    const [, day, ending] = /^(\d{4}-\d\d-\d\d)\.(jsonl|parquet)$/.exec(name) ?? [];
    if (day === undefined || parseDayStart(day) === undefined) continue;
    const files = days.get(day) ?? { hasLines: false, hasParquet: false };
    if (ending === "jsonl") files.hasLines = true;
    else files.hasParquet = true;
    days.set(day, files);
  }
  return [...days]
    .map(([day, files]) => ({ day, ...files }))
    .sort((one, other) => (one.day < other.day ? -1 : 1));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return [];
    throw cause;
  }
}
