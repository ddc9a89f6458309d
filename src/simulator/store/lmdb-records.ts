import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import { FormatError, RunError } from "../../core/errors.js";
import { loadOptional } from "../../core/optional-part.js";
import { checkLmdbFile } from "./lmdb-file-check.js";
import type { RecordChange, RecordStore } from "./record-store.js";

/** The file in the folder. */
const FILE = "exchange.mdb";

/**
 * Records in an LMDB file. When a commit returns, the operating system has the data. It survives
 * the end of the process by any signal, but not a power failure.
 */
export class LmdbRecords implements RecordStore {
  readonly place: string;
  readonly #database: RootDatabase<string, string>;

  private constructor(place: string, database: RootDatabase<string, string>) {
    this.place = place;
    this.#database = database;
  }

  /**
   * Opens the file of an existing folder, or creates it.
   * @throws RunError when it cannot be opened
   */
  static async open(folder: string): Promise<LmdbRecords> {
    // A native module, which most exchanges do not need.
    const { open } = await loadOptional("lmdb");
    try {
      requireWhole(join(folder, FILE));
      const database = open<string, string>({
        path: join(folder, FILE),
        encoding: "string",
        noSync: true,
        noMetaSync: true,
        overlappingSync: false,
      });
      return new LmdbRecords(folder, database);
    } catch (cause) {
      throw storeError("the exchange's state cannot be opened", folder, cause);
    }
  }

  *withPrefix(prefix: string): Generator<readonly [string, string]> {
    for (const { key, value } of this.#database.getRange({ start: prefix })) {
      if (!key.startsWith(prefix)) {
        return;
      }
      yield [key, value];
    }
  }

  commit({ puts, removed, removedRanges }: RecordChange): void {
    const database = this.#database;
    try {
      database.transactionSync(() => {
        for (const { from, to } of removedRanges) {
          for (const key of [...database.getKeys({ start: from, end: to })]) {
            database.removeSync(key);
          }
        }
        for (const key of removed) {
          database.removeSync(key);
        }
        for (const [key, text] of puts) {
          database.putSync(key, text);
        }
      });
    } catch (cause) {
      throw storeError("the exchange's state cannot be written", this.place, cause);
    }
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

/**
 * Checks that the files are complete. A new store begins in a folder without any of them. If only
 * LMDB's second file is there, or the first one is empty, an exchange's state was lost, and a new
 * start would silently discard its accounts.
 * @throws FormatError for a lost file, or one that would crash LMDB
 */
function requireWhole(file: string): void {
  if (existsSync(file)) return checkLmdbFile(file);
  if (existsSync(`${file}-lock`))
    throw new FormatError("is missing, although the folder held a state", {
      field: file,
      expected: "the missing file, or an empty folder to start again",
    });
}

function storeError(summary: string, folder: string, cause: unknown): RunError {
  return new RunError(summary, {
    field: "dataDir",
    value: folder,
    expected: cause instanceof Error ? cause.message : String(cause),
    cause,
  });
}
