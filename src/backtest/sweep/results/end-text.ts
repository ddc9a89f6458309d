import type { SweepResult } from "./sweep-json.js";

type Run = Pick<
  SweepResult["points"][number]["runs"][number],
  "ended" | "reason" | "strategyError"
>;

/**
 * How runs ended before their history did, as text: `halted`, or `halted 2 of 5` windows. With the
 * reason where a run was refused or its strategy failed. Empty where all ran to the end.
 */
export function endText(runs: readonly Run[]): string {
  const counts = new Map<string, number>();
  for (const { ended } of runs)
    if (ended !== "end-of-history") counts.set(ended, (counts.get(ended) ?? 0) + 1);
  const texts = [...counts].map(([ended, count]) =>
    runs.length === 1 ? ended : `${ended} ${count} of ${runs.length}`,
  );
  const [reason] = runs.flatMap((run) => run.reason ?? run.strategyError ?? []);
  return `${texts.join(", ")}${reason === undefined ? "" : ` (${reason})`}`;
}
