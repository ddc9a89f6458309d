import { setFlagsFromString } from "node:v8";

/**
 * Makes every thread of this process collect young garbage without helper threads, from now on. A
 * replay allocates much, and hardly any of it is alive when it is collected. Waiting for helpers
 * takes longer than they save, and in a sweep they take the cores of other runs (benches
 * `replay-book`, `sweep-scaling`). Each command that plays history calls it first; nothing else
 * does, since it affects the whole process.
 */
export function disableParallelGc(): void {
  setFlagsFromString("--no-parallel-scavenge");
}
