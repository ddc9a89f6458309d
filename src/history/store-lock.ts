import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { RunError } from "../core/errors.js";
import { makeFolder } from "../core/make-folder.js";
import { isAlive } from "./living-process.js";

/** Who writes one kind of one market: a file with the process's id, void when that process is gone. */
export class StoreLock {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** @param folder made when it is not there. @param expected what whoever comes second is told to do. @throws RunError when a living process holds it */
  static take(folder: string, expected = "one writer a market and kind at a time: wait for it, or end it"): StoreLock {
    makeFolder(folder);
    const path = join(folder, "lock");
    for (let tries = 0; tries < 3; tries++) {
      try {
        const handle = openSync(path, "wx", 0o600);
        writeSync(handle, String(process.pid));
        closeSync(handle);
        return new StoreLock(path);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
        const holder = holderOf(path);
        if (holder !== undefined && isAlive(holder)) {
          throw new RunError("is being written by another process", {
            field: path,
            value: holder,
            expected,
          });
        }
        rmSync(path, { force: true });
      }
    }
    throw new RunError("cannot be taken: others take it again and again", { field: path, expected: "one writer at a time" });
  }

  /** The living process that has a folder; undefined where there is none. */
  static holder(folder: string): number | undefined {
    const holder = holderOf(join(folder, "lock"));
    return holder !== undefined && isAlive(holder) ? holder : undefined;
  }

  release(): void {
    rmSync(this.#path, { force: true });
  }
}

function holderOf(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, "utf8"));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch (error) {
    // Released in between.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
