import { readFileSync, readlinkSync } from "node:fs";

/**
 * Unique name of a process: its id and, if the system shows them, its start tick, the machine's
 * boot, and the container of the id.
 */
const NAME = /^(\d+)(?:\.(\d+)\.([0-9a-f]{8})\.(\d+))?$/;

/** Letters of processes that no longer run: zombies, and dead ones. */
const ENDED = /^[ZXx]$/;

/**
 * State of a named process: `elsewhere` if its id belongs to another container, or another boot of
 * the machine, so that it cannot be checked here.
 */
export type ProcessLife = "lives" | "gone" | "elsewhere";

/**
 * Returns this process's name for locks and files. An id alone is reused, and in a container nearly
 * every program is process 1. A program started after a kill would mistake the killed one's files
 * for its own, or for another live process's.
 */
export function currentProcessName(): string {
  return ownName;
}

/**
 * Returns the state of a named process. @returns undefined for a text that is not a process name
 */
export function processLifeFor(name: string): ProcessLife | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  if (name === ownName) return "lives";
  const [, id, firstTick, boot, container] = match;
  const pid = Number(id);
  const own = NAME.exec(ownName);
  if (own === null || own[2] === undefined)
    return firstTick === undefined && isAlive(pid) ? "lives" : "gone";
  // A name from an earlier version, or from a system that shows only ids; this process's own name
  // is longer.
  if (firstTick === undefined) return pid !== process.pid && isAlive(pid) ? "lives" : "gone";
  if (boot !== own[3] || container !== own[4]) return "elsewhere";
  if (!isAlive(pid)) return "gone";
  const found = statOf(id);
  // A system may hide another user's processes.
  if (found === undefined) return "lives";
  // A killed process keeps its id until its parent has asked for its end, which some never do.
  return found.firstTick === firstTick && !ENDED.test(found.state ?? "") ? "lives" : "gone";
}

/** Parses the id in a name that {@link processLifeFor} accepts. */
export function parsePid(name: string): number {
  return Number.parseInt(name, 10);
}

const ownName = nameOfThis();

function nameOfThis(): string {
  const id = String(process.pid);
  const firstTick = statOf("self")?.firstTick;
  const boot = read(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8));
  const container = read(() => /^pid:\[(\d+)\]$/.exec(readlinkSync("/proc/self/ns/pid"))?.[1]);
  // A container may see another container's processes.
  const isOurs = read(() => readlinkSync("/proc/self")) === id;
  const name = `${id}.${firstTick}.${boot}.${container}`;
  return isOurs && NAME.test(name) ? name : id;
}

/** State and start of a process. */
interface ProcessStat {
  readonly state: string | undefined;
  readonly firstTick: string | undefined;
}

/** The third and the 22nd field; the second is a name, which may contain spaces and brackets. */
function statOf(id: string | undefined): ProcessStat | undefined {
  const stat = read(() => readFileSync(`/proc/${id}/stat`, "utf8"));
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0], firstTick: fields[19] };
}

/** The system's information about processes, if available. */
function read<Value>(what: () => Value): Value | undefined {
  try {
    return what();
  } catch {
    return undefined;
  }
}

/** Returns true if a process with this id runs on this machine, whoever owns it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
