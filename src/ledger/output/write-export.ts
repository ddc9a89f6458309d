import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { RunError } from "../../core/errors.js";
import { replaceFile, syncPath } from "../../core/files/atomic-file.js";
import { Duck, literal } from "../../history/store/duck.js";
import { toDiskError } from "../../history/store/to-disk-error.js";
import { createCsvTable } from "./csv-table.js";
import { ENTRY_COLUMNS } from "./entry-columns.js";

const FULL_DISK = /^(ENOSPC|EDQUOT)$|No space left on device|Disk quota exceeded/;

/**
 * Replaces a CSV file as a whole: after a crash it is the old one or the new one.
 * @throws RunError naming the file if it cannot be written
 */
export function writeCsv(path: string, lines: Iterable<string>): void {
  try {
    replaceFile(path, lines);
  } catch (cause) {
    throw unwritable(cause, path);
  }
}

/**
 * Replaces a Parquet file as a whole, with the rows of a CSV's lines in their order. Instants are
 * UTC timestamps, amounts DECIMAL(38,18).
 * @throws RunError if the file cannot be written, or the database is not installed
 */
export async function writeParquet(path: string, lines: Iterable<string>): Promise<void> {
  const beside = `${path}.next`;
  try {
    await withEntries(lines, async (duck) => {
      await duck.run(
        `COPY entries TO ${literal(beside)} (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd)`,
      );
    });
    syncPath(beside);
    renameSync(beside, path);
    syncPath(dirname(path));
  } catch (cause) {
    rmSync(beside, { force: true });
    throw unwritable(cause, path);
  }
}

/** The system's code, or the database's message; undefined for a full disk and other errors. */
function reasonNotWritten(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const why = "code" in cause ? String(cause.code) : /^IO Error: (.*)/.exec(cause.message)?.[1];
  return why === undefined || FULL_DISK.test(why) ? undefined : why;
}

/** The error for a file that could not be written; another error as it is. */
function unwritable(cause: unknown, path: string): unknown {
  const why = reasonNotWritten(cause);
  if (why === undefined) return toDiskError(cause, path) ?? cause;
  return new RunError(`cannot be written (${why})`, {
    field: path,
    expected: "a file in a folder that this user may write",
    cause,
  });
}

/** Runs work with a database that has the lines as its table `entries`, and closes it. */
export async function withEntries<T>(
  lines: Iterable<string>,
  work: (duck: Duck, folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "marketwright-ledger-"));
  try {
    const csv = join(folder, "entries.csv");
    replaceFile(csv, lines, { sync: false });
    const duck = await Duck.open(join(folder, "spill"));
    try {
      await createCsvTable(duck, "entries", csv, ENTRY_COLUMNS);
      return await work(duck, folder);
    } finally {
      duck.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
