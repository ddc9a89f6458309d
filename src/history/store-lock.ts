import { linkSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { RunError } from "../core/errors.js";
import { liveSeam } from "../core/live-seam.js";
import type { Timer } from "../core/seam.js";
import type { Ms } from "../core/units.js";
import { lifeOf, pidIn, processName } from "./living-process.js";
import { makeStoreFolder } from "./store-folder.js";

/** Looks at a lock that others take, too, before it is given up. */
const MOST_TRIES = 10;
/** So often a holder shows that it lives, for those who cannot ask: they see the file, and not its process. */
const SHOWN_MS: Ms = 1000;
/** After so long without, they take it for gone. */
const GONE_MS: Ms = 5000;

const { clock } = liveSeam();

/**
 * Who writes one kind of one market: a file with the process's name, void when that process is gone. It appears with the name in it, and one that is void is removed by one
 * process alone, so that of several that come at the same instant one gets it. A process of another container, or of another machine, is held for gone when it has not
 * touched the file lately.
 */
export class StoreLock {
  readonly #path: string;
  #timer: Timer;

  private constructor(path: string) {
    this.#path = path;
    this.#timer = this.#keepShowing();
  }

  /** @param folder made when it is not there. @param expected what whoever comes second is told to do. @throws RunError when a living process holds it */
  static take(folder: string, expected = "one writer a market and kind at a time: wait for it, or end it"): StoreLock {
    makeStoreFolder(folder);
    const path = join(folder, "lock");
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      if (placed(path)) return new StoreLock(path);
      const holder = holderOf(path);
      if (typeof holder === "number") {
        throw new RunError("is being written by another process", {
          field: path,
          value: holder,
          expected,
        });
      }
      if (holder === "void") removeVoid(path);
    }
    throw new RunError("cannot be taken: others take it again and again", { field: path, expected: "one writer at a time" });
  }

  /** The living process that has a folder; undefined where there is none. */
  static holder(folder: string): number | undefined {
    const holder = holderOf(join(folder, "lock"));
    return typeof holder === "number" ? holder : undefined;
  }

  release(): void {
    this.#timer.cancel();
    // Where this process stood still so long that another container's has taken it, it is that one's.
    if (nameIn(this.#path) === processName()) rmSync(this.#path, { force: true });
  }

  #keepShowing(): Timer {
    return clock.setTimer(SHOWN_MS, () => {
      if (shown(this.#path)) this.#timer = this.#keepShowing();
    });
  }
}

/** Touches a lock. False where it went, with its folder: there is nothing to show. */
function shown(path: string): boolean {
  const seconds = clock.nowMs() / 1000;
  try {
    utimesSync(path, seconds, seconds);
    return true;
  } catch {
    return false;
  }
}

/** Removes a lock whose process is gone, unless another process is about to: it might be the next one's by then. */
function removeVoid(path: string): void {
  const guard = `${path}.void`;
  if (placed(guard)) {
    if (holderOf(path) === "void") rmSync(path, { force: true });
    rmSync(guard, { force: true });
    // That of a process that was killed between the two lines above.
  } else if (holderOf(guard) === "void") rmSync(guard, { force: true });
}

/** Makes a file with this process's name, at once with it in. False where there is one. */
function placed(path: string): boolean {
  const own = `${path}.${processName()}-${threadId}`;
  try {
    writeFileSync(own, processName(), { mode: 0o600 });
    linkSync(own, path);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") return false;
    if (!WITHOUT_LINKS.has(code)) throw error;
    return opened(path);
  } finally {
    rmSync(own, { force: true });
  }
}

/** What a file system says that has no second name for a file, as those of memory cards. */
const WITHOUT_LINKS: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** The same there, where for an instant the name is not in it yet. */
function opened(path: string): boolean {
  try {
    writeFileSync(path, processName(), { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** The living process whose name a lock has, by its id; undefined where there is no lock. */
function holderOf(path: string): number | "void" | undefined {
  const name = nameIn(path);
  if (name === undefined) return undefined;
  const life = lifeOf(name);
  return life === "lives" || (life === "elsewhere" && isShown(path)) ? pidIn(name) : "void";
}

function isShown(path: string): boolean {
  const touched = statSync(path, { throwIfNoEntry: false });
  return touched !== undefined && Math.abs(clock.nowMs() - touched.mtimeMs) < GONE_MS;
}

/** What stands in a lock; undefined where there is none. */
function nameIn(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    // Released in between.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
