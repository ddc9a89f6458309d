import { setFlagsFromString } from "node:v8";

/**
 * Has every thread of this process collect its young garbage without helpers, from now on. A replay makes much of it and hardly any of it is alive when it is
 * collected: waiting for threads that help takes longer than they save, and in a sweep they take the cores that other runs are on (benches `replay-book`,
 * `sweep-scaling`). Whoever plays history in a process of its own calls it first; a process that does something else beside is asked nothing.
 */
export function collectAlone(): void {
  setFlagsFromString("--no-parallel-scavenge");
}
