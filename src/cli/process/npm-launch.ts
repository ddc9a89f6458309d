import { readFileSync } from "node:fs";

/** Shells that npm, and the scripts that it runs, put before a command. */
const SHELLS: ReadonlySet<string> = new Set(["sh", "dash", "ash", "bash", "busybox", "ksh", "zsh"]);

/** Reads a process's entry in /proc. Undefined where the system has no such entry, or does not show it. */
type ReadStat = (pid: number) => string | undefined;

/**
 * The processes that npm or npx put before this one: npm itself, and the shell that it runs the command in. A SIGTERM that is sent to npm ends
 * npm and its shell, and never reaches the command. The command can only notice that they are gone.
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
   * Returns undefined for a process that npm did not start, and for one that leads a session of its own: `setsid` detaches it on purpose.
   * Call it at the start of the process, while its parents are the original ones.
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

  /** Whether one of them has ended: the process below it has another parent then. */
  hasExited(): boolean {
    const [parent, ...above] = this.#ancestors;
    if (this.#parentPid() !== parent) return true;
    return above.some((pid, index) => {
      // An entry that cannot be read, as where no more files may be opened, proves nothing.
      const entry = parse(this.#readStat(this.#ancestors[index] ?? 0));
      return entry !== undefined && entry.parent !== pid;
    });
  }
}

/** The name stands in brackets and may hold spaces and brackets; behind it are the state, the parent, the process group and the session. */
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
    // No Linux, or the process has ended.
    return undefined;
  }
}
