import { readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, MarketwrightError, RunError } from "../../core/errors.js";
import { makeFolder } from "../../core/files/make-folder.js";
import { ensurePrivateFolder } from "../../core/files/private-folder.js";
import { ProcessLock } from "../../core/files/process-lock.js";
import { LmdbRecords } from "./lmdb-records.js";
import type { RecordStore } from "./record-store.js";

/** A folder with an exchange's state, locked for this process. */
export interface DataDir {
  readonly records: RecordStore;
  /** Closes the state and releases the folder. */
  close(): Promise<void>;
}

/**
 * Opens the folder of an exchange's state, or creates it.
 * @throws ConfigError when the folder has other content, or another process uses it; RunError when
 * it cannot be opened, or other users may write to it
 */
export async function openDataDir(path: string): Promise<DataDir> {
  const folder = made(path);
  const lock = await locked(folder);
  try {
    const records = await LmdbRecords.open(folder);
    return {
      records,
      close: async () => {
        await records.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function made(path: string): string {
  try {
    makeFolder(path);
    const folder = realpathSync(path);
    const strangers = readdirSync(folder).filter((name) => !name.startsWith("exchange."));
    if (strangers.length > 0) {
      throw new ConfigError(`holds other files (${strangers.slice(0, 3).join(", ")})`, {
        field: "dataDir",
        value: path,
        expected:
          "a folder used only by this exchange, an empty one, or one that does not exist yet",
      });
    }
    ensurePrivateFolder(folder, "dataDir");
    return folder;
  } catch (cause) {
    if (cause instanceof MarketwrightError) {
      throw cause;
    }
    const expected = `a folder that can be created and written (${cause instanceof Error ? cause.message : String(cause)})`;
    throw new ConfigError("cannot be used", { field: "dataDir", value: path, expected, cause });
  }
}

/** Locks a file in the folder itself: any user could lock a name outside it. */
async function locked(folder: string): Promise<ProcessLock> {
  const lock = await taken(folder);
  if (lock instanceof ProcessLock) return lock;
  throw new ConfigError(`is in use by another exchange (process ${lock})`, {
    field: "dataDir",
    value: folder,
    expected: "a separate folder for each exchange",
  });
}

async function taken(folder: string): Promise<ProcessLock | number> {
  try {
    return await ProcessLock.takeOrWait(join(folder, "exchange.process"));
  } catch (cause) {
    const expected = cause instanceof Error ? cause.message : String(cause);
    throw new RunError("cannot be locked", { field: "dataDir", value: folder, expected, cause });
  }
}
