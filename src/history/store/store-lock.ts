import { join } from "node:path";
import { RunError } from "../../core/errors.js";
import { ProcessLock } from "../../core/files/process-lock.js";
import { makeStoreFolder } from "./store-folder.js";

/**
 * The lock of the process that writes one kind of one market: a file in the folder of that series.
 */
export class StoreLock {
  readonly #lock: ProcessLock;

  private constructor(lock: ProcessLock) {
    this.#lock = lock;
  }

  /**
   * @param folder created if missing.
   * @param expected the advice in the error.
   * @throws RunError when a living process holds the lock
   */
  static take(
    folder: string,
    expected = "one writer of a market and kind at a time: wait for it, or end it",
  ): StoreLock {
    makeStoreFolder(folder);
    const path = join(folder, "lock");
    const lock = ProcessLock.take(path);
    if (lock instanceof ProcessLock) return new StoreLock(lock);
    throw new RunError("is being written by another process", {
      field: path,
      value: lock,
      expected,
    });
  }

  /** The living process that holds a folder's lock; undefined if there is none. */
  static holder(folder: string): number | undefined {
    return ProcessLock.holder(join(folder, "lock"));
  }

  release(): void {
    this.#lock.release();
  }
}
