import { readFileSync, readlinkSync } from "node:fs";

/** How a process is told from all others: its id, and where the system tells them, its first tick, the machine's start, and the container that the id counts in. */
const NAME = /^(\d+)(?:\.(\d+)\.([0-9a-f]{8})\.(\d+))?$/;

/**
 * What a name says of its process: `elsewhere` where its id counts in another container, or another run of the machine, so that nobody here can ask.
 */
export type ProcessLife = "lives" | "gone" | "elsewhere";

/**
 * This process as locks and names of files have it. An id alone is given again, and in a container nearly every program is process 1: the one that is started
 * after a kill would take what that left for its own, or for a stranger's at work.
 */
export function currentProcessName(): string {
  return ownName;
}

/** The process that a name is of. @returns undefined for what is no name of a process */
export function processLifeFor(name: string): ProcessLife | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  if (name === ownName) return "lives";
  const [, id, firstTick, boot, container] = match;
  const pid = Number(id);
  const own = NAME.exec(ownName);
  if (own === null || own[2] === undefined)
    return firstTick === undefined && isAlive(pid) ? "lives" : "gone";
  // Of an earlier version, or of a system that told no more; this process has said more of itself.
  if (firstTick === undefined) return pid !== process.pid && isAlive(pid) ? "lives" : "gone";
  if (boot !== own[3] || container !== own[4]) return "elsewhere";
  if (!isAlive(pid)) return "gone";
  const found = firstTickOf(id);
  // Of another user's process a system may be told to say nothing.
  return found === undefined || found === firstTick ? "lives" : "gone";
}

/** The id in a name that {@link processLifeFor} knows. */
export function parsePid(name: string): number {
  return Number.parseInt(name, 10);
}

const ownName = nameOfThis();

function nameOfThis(): string {
  const id = String(process.pid);
  const firstTick = firstTickOf("self");
  const boot = read(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8));
  const container = read(() => /^pid:\[(\d+)\]$/.exec(readlinkSync("/proc/self/ns/pid"))?.[1]);
  // A container may be shown another's processes.
  const isOurs = read(() => readlinkSync("/proc/self")) === id;
  const name = `${id}.${firstTick}.${boot}.${container}`;
  return isOurs && NAME.test(name) ? name : id;
}

/** The twenty-second field; the second is a name, which may have spaces and brackets in it. */
function firstTickOf(id: string | undefined): string | undefined {
  const stat = read(() => readFileSync(`/proc/${id}/stat`, "utf8"));
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

/** What the system tells of processes, where it does. */
function read<Value>(what: () => Value): Value | undefined {
  try {
    return what();
  } catch {
    return undefined;
  }
}

/** Whether a process of this machine has an id, whoever owns it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
