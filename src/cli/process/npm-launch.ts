import { readFileSync } from "node:fs";

/** Shells through which npm, and its scripts, run a command. */
const SHELLS: ReadonlySet<string> = new Set(["sh", "dash", "ash", "bash", "busybox", "ksh", "zsh"]);

/** Reads a process's entry in /proc. Undefined if the system has no such entry, or hides it. */
type ReadStat = (pid: number) => string | undefined;

/**
 * The npm or npx processes above this one: npm itself, and the shell in which it runs the command.
 * A SIGTERM to npm ends npm and its shell, but never reaches the command, which can only detect
 * that they are gone.
 */
export class NpmLaunch {
  readonly #ancestors: readonly number[];
  readonly #parentPid: () => number;
  readonly #readStat: ReadStat;

  private constructor(ancestors: readonly number[], parentPid: () => number, readStat: ReadStat) {
    this.#ancestors = ancestors;
    this.#parentPid = parentPid;
    this.#readStat = readStat;
  }

  /**
   * Returns undefined for a process that npm did not start, and for the leader of a session:
   * `setsid` detaches it on purpose. Call it at the start of the process, while its parents are the
   * original ones.
   */
  static find(
    env: Readonly<Record<string, string | undefined>>,
    pid = process.pid,
    parentPid: () => number = () => process.ppid,
    readStat: ReadStat = statOf,
  ): NpmLaunch | undefined {
    if (env.npm_lifecycle_event === undefined || parse(readStat(pid))?.session === pid)
      return undefined;
    const ancestors = [parentPid()];
    for (
      let entry = parse(readStat(ancestors[0] ?? 0));
      entry !== undefined && SHELLS.has(entry.name);
    ) {
      ancestors.push(entry.parent);
      entry = parse(readStat(entry.parent));
    }
    return new NpmLaunch(ancestors, parentPid, readStat);
  }

  /** Returns true if one of them has ended: the process below it has another parent then. */
  hasExited(): boolean {
    const [parent, ...above] = this.#ancestors;
    if (this.#parentPid() !== parent) return true;
    return above.some((pid, index) => {
      // An unreadable entry, as when no more files can be opened, proves nothing.
      const entry = parse(this.#readStat(this.#ancestors[index] ?? 0));
      return entry !== undefined && entry.parent !== pid;
    });
  }
}

/**
 * The name is in brackets and may contain spaces and brackets; after it come the state, the parent,
 * the process group and the session.
 */
function parse(
  stat: string | undefined,
): { readonly name: string; readonly parent: number; readonly session: number } | undefined {
  const match = stat === undefined ? null : /^\d+ \((.*)\) \S (\d+) \d+ (\d+) /s.exec(stat);
  return match === null
    ? undefined
    : { name: match[1] ?? "", parent: Number(match[2]), session: Number(match[3]) };
}

function statOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // Not Linux, or the process has ended.
    return undefined;
  }
}
