import { createHash } from "node:crypto";
import {
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { threadId } from "node:worker_threads";
import { RunError } from "../errors.js";
import { liveSeam } from "../runtime/live-seam.js";
import type { Timer } from "../runtime/seam.js";
import type { Ms } from "../units.js";
import { currentProcessName, parsePid, processLifeFor } from "./process-life.js";

/** Attempts before a lock is given up that others take, and leave, again and again. */
const MOST_TRIES = 100;
/** Interval at which a holder touches its lock: a process of another container sees the file, and not the holder. */
const TOUCH_MS: Ms = 1000;
/** Age of the last touch from which the holder counts as gone there. */
const GONE_MS: Ms = 5000;

const { clock } = liveSeam();

/** A lock's file, and the process that is named in it. */
interface Entry {
  readonly path: string;
  readonly name: string;
}

/**
 * A file that one living process holds. It names its holder, and is void when that process is gone, whatever ended it.
 *
 * A void lock is not removed: it might be another process's by then. Its successor is a second file, whose name is made of the dead holder's, and
 * which can be made once. The holder is the last of that chain. It moves its own file to the first one's place, and whoever has placed a
 * successor of a process that is in the chain no more finds that out, and withdraws it. Names of processes do not come again, so no
 * chain does.
 */
export class ProcessLock {
  readonly #path: string;
  #own: string;
  #timer: Timer;

  private constructor(path: string, own: string) {
    this.#path = path;
    this.#own = own;
    this.#moveToFirst();
    this.#timer = this.#keepTouching();
  }

  /**
   * Takes the lock, or returns the process id of the living process that holds it. Of any number that come at the same instant, one takes it.
   * @param path of the file, in a folder that is there and that no other user may write to.
   * @throws RunError when others take and leave it all the time; Error of the system when the file cannot be made
   */
  static take(path: string): ProcessLock | number {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const last = lastOf(path);
      if (last !== undefined && isHeld(last)) return parsePid(last.name);
      const own = last === undefined ? path : successorOf(path, last.name);
      if (!placed(own, path)) continue;
      if (lastOf(path)?.path === own) return new ProcessLock(path, own);
      // The chain went on from elsewhere meanwhile.
      rmSync(own, { force: true });
    }
    throw new RunError("cannot be taken: others take it again and again", {
      field: path,
      expected: "one process at a time",
    });
  }

  /**
   * {@link take}, which waits for as long as a lock of another container may still be a dead one's: a container that is started anew finds the lock of
   * the killed one a moment old.
   */
  static async takeOrWait(path: string): Promise<ProcessLock | number> {
    for (let waitedMs = 0; ; waitedMs += TOUCH_MS) {
      const taken = ProcessLock.take(path);
      if (taken instanceof ProcessLock || waitedMs > GONE_MS || !isHeldElsewhere(path))
        return taken;
      await new Promise<void>((resolve) => clock.setTimer(TOUCH_MS, resolve));
    }
  }

  /** The id of the living process that holds a lock; undefined where there is none. */
  static holder(path: string): number | undefined {
    const last = lastOf(path);
    return last !== undefined && isHeld(last) ? parsePid(last.name) : undefined;
  }

  release(): void {
    this.#timer.cancel();
    // A process of another container takes the lock of one that stood still for too long.
    if (nameIn(this.#own) === currentProcessName()) rmSync(this.#own, { force: true });
  }

  /** Ends the chain that led here. A step that a kill leaves undone is done by the next holder. */
  #moveToFirst(): void {
    if (this.#own !== this.#path) {
      renameSync(this.#own, this.#path);
      this.#own = this.#path;
    }
    const folder = dirname(this.#path);
    const prefix = `${basename(this.#path)}.after-`;
    for (const name of readdirSync(folder))
      if (name.startsWith(prefix)) rmSync(join(folder, name), { force: true });
  }

  #keepTouching(): Timer {
    return clock.setTimer(TOUCH_MS, () => {
      if (touched(this.#own)) this.#timer = this.#keepTouching();
    });
  }
}

/** The last file of a lock's chain; undefined where there is no lock. @throws RunError where the chain has no end */
function lastOf(path: string): Entry | undefined {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const first = nameIn(path);
    if (first === undefined) return undefined;
    let last: Entry = { path, name: first };
    const seen = new Set<string>();
    while (!seen.has(last.name)) {
      seen.add(last.name);
      const next = successorOf(path, last.name);
      const name = nameIn(next);
      if (name === undefined) break;
      last = { path: next, name };
    }
    // A holder that moves its file to the first place meanwhile is missed on the way.
    if (nameIn(path) === first) return last;
  }
  throw new RunError("changes faster than it can be read", {
    field: path,
    expected: "one process at a time",
  });
}

function successorOf(path: string, name: string): string {
  return `${path}.after-${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}

function isHeld({ path, name }: Entry): boolean {
  const life = processLifeFor(name);
  return life === "lives" || (life === "elsewhere" && wasTouched(path));
}

function isHeldElsewhere(path: string): boolean {
  const last = lastOf(path);
  return last !== undefined && processLifeFor(last.name) === "elsewhere";
}

/** Makes a file of the chain that begins with `first`, at once with this process's name in it. False where there is one. */
function placed(path: string, first: string): boolean {
  const draft = `${first}.new-${currentProcessName()}-${threadId}`;
  try {
    writeFileSync(draft, currentProcessName(), { mode: 0o600 });
    linkSync(draft, path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return false;
    if (!WITHOUT_LINKS.has(code)) throw error;
    return opened(path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Codes of a file system that has no second name for a file, as those of memory cards. */
const WITHOUT_LINKS: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** The same there, where for an instant the name is not in it yet. */
function opened(path: string): boolean {
  try {
    writeFileSync(path, currentProcessName(), { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Touches a lock, and makes it again where somebody has removed it. False where its folder went: there is nothing to hold. */
function touched(path: string): boolean {
  const seconds = clock.nowMs() / 1000;
  try {
    utimesSync(path, seconds, seconds);
    return true;
  } catch {
    // Below.
  }
  try {
    return placed(path, path);
  } catch {
    return false;
  }
}

function wasTouched(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Math.abs(clock.nowMs() - found.mtimeMs) < GONE_MS;
}

/** The text of a lock; undefined where there is none. */
function nameIn(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    // Released in between.
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
