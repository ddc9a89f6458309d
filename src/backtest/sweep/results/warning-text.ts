import type { SweepResult } from "./sweep-json.js";

type Run = Pick<SweepResult["points"][number]["runs"][number], "doubts">;

/** How many of a point's runs have warnings: `yes`, or `2 of 5` windows. Empty where none has. */
export function warningMark(runs: readonly Run[]): string {
  const count = runs.filter(hasWarnings).length;
  return count === 0 ? "" : runs.length === 1 ? "yes" : `${count} of ${runs.length}`;
}

/**
 * The warnings: of one run all, of several windows their number and the first. Empty where there
 * are none.
 */
export function warningText(runs: readonly Run[]): string {
  const first = runs.find(hasWarnings);
  if (first === undefined) return "";
  return runs.length === 1
    ? first.doubts.join("; ")
    : `in ${warningMark(runs)} windows, for example ${first.doubts[0]}`;
}

/** True if a run has warnings. */
export function hasWarnings({ doubts }: Run): boolean {
  return doubts.length > 0;
}
