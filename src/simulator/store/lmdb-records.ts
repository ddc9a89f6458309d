import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import { RunError } from "../../core/errors.js";
import type { RecordChange, RecordStore } from "./record-store.js";

/** The file in the folder. */
const FILE = "exchange.mdb";
/** MDB_MAGIC of lmdb.h, behind the first page's header. */
const MAGIC = Buffer.from([0xde, 0xc0, 0xef, 0xbe]);

/**
 * Records in an LMDB file. A commit is in the operating system's hands when it returns: it outlives the process, by
 * whatever signal that ends, and it does not outlive the machine's power.
 */
export class LmdbRecords implements RecordStore {
  readonly place: string;
  readonly #database: RootDatabase<string, string>;

  private constructor(place: string, database: RootDatabase<string, string>) {
    this.place = place;
    this.#database = database;
  }

  /** Opens the file of a folder that is there, or makes it. @throws RunError when it cannot be opened */
  static async open(folder: string): Promise<LmdbRecords> {
    // Native, and most exchanges are without it.
    const { open } = await import("lmdb");
    try {
      requireDatabase(join(folder, FILE));
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

/** LMDB takes the process down with a file that is none of its own. @throws RunError for such a file; none and an empty one will do */
function requireDatabase(file: string): void {
  const head = Buffer.alloc(64);
  let length = 0;
  try {
    const descriptor = openSync(file, "r");
    length = readSync(descriptor, head);
    closeSync(descriptor);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) {
      throw error;
    }
  }
  if (length > 0 && !head.includes(MAGIC)) {
    throw new RunError(`${FILE} is no LMDB file`);
  }
}

function storeError(summary: string, folder: string, cause: unknown): RunError {
  return new RunError(summary, {
    field: "dataDir",
    value: folder,
    expected: cause instanceof Error ? cause.message : String(cause),
    cause,
  });
}
