import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { KeyInput } from "../../monitoring/screen/screen-driver.js";

/** Positions of the process group and of the terminal's foreground group in /proc/PID/stat. */
const GROUP = 2;
const FOREGROUND_GROUP = 5;

/** The keyboard of this process, and the signals that belong to its terminal. */
export interface Keyboard {
  readonly input: KeyInput;
  /** True if this process is in the foreground of its terminal. */
  readonly isForeground: () => boolean;
  /** Sends this process the signal that Ctrl-C sends, which no terminal in raw mode sends. */
  readonly interrupt: () => void;
}

/** The keyboard of this process. Undefined unless it reads from a terminal and writes to one. */
export function openKeyboard(): Keyboard | undefined {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  return {
    input: process.stdin,
    isForeground,
    interrupt: () => process.kill(process.pid, "SIGINT"),
  };
}

/** True if this process is in the foreground of its terminal. False where no system says so. */
function isForeground(): boolean {
  const groups = groupsFromProc() ?? groupsFromPs();
  return groups !== undefined && groups.group === groups.foreground;
}

interface Groups {
  readonly group: string | undefined;
  readonly foreground: string | undefined;
}

function groupsFromProc(): Groups | undefined {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    // The name, in parentheses, may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { group: fields[GROUP], foreground: fields[FOREGROUND_GROUP] };
  } catch {
    return undefined;
  }
}

/** For a system without /proc, such as macOS. */
function groupsFromPs(): Groups | undefined {
  const args = ["-o", "pgid=,tpgid=", "-p", String(process.pid)];
  const { status, stdout } = spawnSync("ps", args, { encoding: "utf8" });
  if (status !== 0) return undefined;
  const [group, foreground] = stdout.trim().split(/\s+/);
  return { group, foreground };
}

/**
 * Calls `suspend` before this process is suspended by a SIGTSTP, and `resume` when it continues.
 * Returns the function that ends this.
 */
export function onSuspension(suspend: () => void, resume: () => void): () => void {
  const suspended = (): void => {
    suspend();
    // A process that handles this signal is not suspended by it.
    process.kill(process.pid, "SIGSTOP");
  };
  process.on("SIGTSTP", suspended);
  process.on("SIGCONT", resume);
  return () => {
    process.off("SIGTSTP", suspended);
    process.off("SIGCONT", resume);
  };
}
