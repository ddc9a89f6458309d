import { join } from "node:path";
import { RunError } from "../../core/errors.js";
import { ProcessLock } from "../../core/files/process-lock.js";
import { makeStoreFolder } from "./store-folder.js";

/** The process that writes one kind of one market: the lock is a file in that folder. */
export class StoreLock {
  readonly #lock: ProcessLock;

  private constructor(lock: ProcessLock) {
    this.#lock = lock;
  }

  /** @param folder made when it is not there. @param expected what whoever comes second is told to do. @throws RunError when a living process holds it */
  static take(
    folder: string,
    expected = "one writer a market and kind at a time: wait for it, or end it",
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

  /** The living process that has a folder; undefined where there is none. */
  static holder(folder: string): number | undefined {
    return ProcessLock.holder(join(folder, "lock"));
  }

  release(): void {
    this.#lock.release();
  }
}
