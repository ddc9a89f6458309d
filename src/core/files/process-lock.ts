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
import { createLiveRuntime } from "../runtime/live-runtime.js";
import type { Timer } from "../runtime/runtime.js";
import type { Ms } from "../units.js";
import { currentProcessName, parsePid, processLifeFor } from "./process-life.js";

/** Attempts before giving up on a lock that others repeatedly take and release. */
const MOST_TRIES = 100;
/**
 * Interval at which a holder touches its lock: a process in another container sees the file, but
 * not the holder.
 */
const TOUCH_MS: Ms = 1000;
/** Age of the last touch from which such a holder counts as gone. */
const GONE_MS: Ms = 5000;

const { clock } = createLiveRuntime();

/** A lock's file, and the process named in it. */
interface Entry {
  readonly path: string;
  readonly name: string;
}

/**
 * A file that one living process holds. It contains its holder's name, and is void once that
 * process is gone, for whatever reason.
 *
 * A void lock is not removed, because it might already be another process's. Its successor is a
 * second file, named after the dead holder, which can be created only once. The holder is the last
 * of that chain. It moves its own file to the first one's place. A process that placed a successor
 * of a holder that has left the chain notices that, and withdraws it. Process names are unique over
 * time, so chains are too.
 */
export class ProcessLock {
  readonly #path: string;
  #own: string;
  #timer: Timer;
  #isLost = false;
  #onLost: () => void = () => {};

  private constructor(path: string, own: string) {
    this.#path = path;
    this.#own = own;
    this.#moveToFirst();
    this.#timer = this.#keepTouching();
  }

  /**
   * Takes the lock, or returns the process id of the living process that holds it. Of any number of
   * simultaneous callers, one succeeds.
   * @param path of the file, in an existing folder that no other user may write to.
   * @throws RunError when others take and release it repeatedly; Error of the system when the file
   * cannot be created
   */
  static take(path: string): ProcessLock | number {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const last = lastOf(path);
      if (last !== undefined && isHeld(last)) return parsePid(last.name);
      const own = last === undefined ? path : successorOf(path, last.name);
      if (!placed(own, path)) continue;
      if (lastOf(path)?.path === own) return new ProcessLock(path, own);
      // Another process has continued the chain elsewhere.
      rmSync(own, { force: true });
    }
    throw new RunError("cannot be locked: other processes lock it again and again", {
      field: path,
      expected: "one process at a time",
    });
  }

  /**
   * Like {@link take}, but waits while a lock of another container may still be a dead one's: a
   * restarted container finds the lock of the killed one a moment old.
   */
  static async takeOrWait(path: string): Promise<ProcessLock | number> {
    for (let waitedMs = 0; ; waitedMs += TOUCH_MS) {
      const taken = ProcessLock.take(path);
      if (taken instanceof ProcessLock || waitedMs > GONE_MS || !isHeldElsewhere(path))
        return taken;
      await new Promise<void>((resolve) => clock.setTimer(TOUCH_MS, resolve));
    }
  }

  /** The id of the living process that holds a lock; undefined if there is none. */
  static holder(path: string): number | undefined {
    const last = lastOf(path);
    return last !== undefined && isHeld(last) ? parsePid(last.name) : undefined;
  }

  /**
   * Calls a listener when another process has taken the lock, at once if it has. This happens to a
   * holder that stood still for {@link GONE_MS}, as in a paused container: it looked dead to the
   * other container.
   */
  whenLost(listener: () => void): void {
    this.#onLost = listener;
    if (this.#isLost) listener();
  }

  release(): void {
    this.#timer.cancel();
    // A process in another container may have taken the lock of a holder that stalled for too long.
    if (nameIn(this.#own) === currentProcessName()) rmSync(this.#own, { force: true });
  }

  /** Shortens the chain that led here. The next holder completes a step that a kill interrupted. */
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
      if (isOthers(this.#own)) {
        this.#isLost = true;
        this.#onLost();
      } else if (touched(this.#own)) this.#timer = this.#keepTouching();
    });
  }
}

/**
 * The last file of a lock's chain; undefined if there is no lock. @throws RunError if the chain has
 * no end
 */
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
    // Misses a holder that moves its file to the first place at the same time.
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

/**
 * Creates a file of the chain that starts with `first`, atomically with this process's name in it.
 * False if it exists.
 */
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

/** Error codes of a file system without hard links, as on memory cards. */
const WITHOUT_LINKS: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** The same there, with a short time in which the name is missing. */
function opened(path: string): boolean {
  try {
    writeFileSync(path, currentProcessName(), { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** True if the file has another process's name. A half-written or unreadable one has none. */
function isOthers(path: string): boolean {
  try {
    const name = nameIn(path);
    return name !== undefined && name !== "" && name !== currentProcessName();
  } catch {
    return false;
  }
}

/**
 * Touches a lock, and creates it again if another process has removed it. False if its folder is
 * gone: there is nothing to hold.
 */
function touched(path: string): boolean {
  const seconds = clock.nowMs() / 1000;
  try {
    utimesSync(path, seconds, seconds);
    return true;
  } catch {
    // Handled below.
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

/** The text of a lock; undefined if there is none. */
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
