import type { SweepResult } from "./sweep-json.js";

type Run = Pick<SweepResult["points"][number]["runs"][number], "doubts">;

/** How many of a point's runs something makes less believable than they look: `yes`, or `2 of 5` windows. Empty where nothing does. */
export function warningMark(runs: readonly Run[]): string {
  const count = runs.filter(hasWarnings).length;
  return count === 0 ? "" : runs.length === 1 ? "yes" : `${count} of ${runs.length}`;
}

/** What it is: of one run all of it, of several windows how many, and the first of it. Empty where nothing is. */
export function warningText(runs: readonly Run[]): string {
  const first = runs.find(hasWarnings);
  if (first === undefined) return "";
  return runs.length === 1
    ? first.doubts.join("; ")
    : `in ${warningMark(runs)} windows, such as ${first.doubts[0]}`;
}

/** Whether something makes a run less believable than it looks. */
export function hasWarnings({ doubts }: Run): boolean {
  return doubts.length > 0;
}
