import type { SweepResult } from "./sweep-json.js";

/** How runs ended before their history did, in words: `halted`, or `halted 2 of 5` windows. Empty where all went to its end. */
export function endText(runs: readonly Pick<SweepResult["points"][number]["runs"][number], "ended">[]): string {
  const counts = new Map<string, number>();
  for (const { ended } of runs) if (ended !== "end-of-history") counts.set(ended, (counts.get(ended) ?? 0) + 1);
  return [...counts].map(([ended, count]) => (runs.length === 1 ? ended : `${ended} ${count} of ${runs.length}`)).join(", ");
}
