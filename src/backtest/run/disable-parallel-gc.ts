import { setFlagsFromString } from "node:v8";

/**
 * Has every thread of this process collect its young garbage without helpers, from now on. A replay makes much of it and hardly any of it is alive when it is
 * collected: waiting for threads that help takes longer than they save, and in a sweep they take the cores that other runs are on (benches `replay-book`,
 * `sweep-scaling`). Each command that plays history calls it first; nothing else does, since it is so for all that the process does.
 */
export function disableParallelGc(): void {
  setFlagsFromString("--no-parallel-scavenge");
}
