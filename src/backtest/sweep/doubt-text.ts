import type { SweepResult } from "./sweep-json.js";

type Run = Pick<SweepResult["points"][number]["runs"][number], "doubts">;

/** How many of a point's runs something makes less believable than they look: `yes`, or `2 of 5` windows. Empty where nothing does. */
export function doubtMark(runs: readonly Run[]): string {
  const count = runs.filter(isDoubtful).length;
  return count === 0 ? "" : runs.length === 1 ? "yes" : `${count} of ${runs.length}`;
}

/** What it is: of one run all of it, of several windows how many, and the first of it. Empty where nothing is. */
export function doubtText(runs: readonly Run[]): string {
  const first = runs.find(isDoubtful);
  if (first === undefined) return "";
  return runs.length === 1 ? first.doubts.join("; ") : `in ${doubtMark(runs)} windows, such as ${first.doubts[0]}`;
}

function isDoubtful({ doubts }: Run): boolean {
  return doubts.length > 0;
}

/** So many of a ranking are looked at first. */
const LOOKED_AT = 10;

/**
 * What whoever reads a sweep's ranking has to know first, a sentence each without its full stop: why its best point is doubtful, why the profit on the test windows is, and how
 * many of the points that one looks at first are. Empty where no run is doubtful.
 */
export function sweepDoubts({ points, best, walkForward }: SweepResult): string[] {
  const chosen = doubtText(points[best]?.runs ?? []);
  const tested = doubtText((walkForward?.splits ?? []).map(({ tested }) => tested));
  return [
    ...(chosen === "" ? [] : [`Do not believe the best point, ${best}, without a second look: ${chosen}`]),
    ...(tested === "" ? [] : [`Do not believe the profit on the test windows without a second look: ${tested}`]),
    ...rankingDoubts(points),
  ];
}

function rankingDoubts(points: SweepResult["points"]): string[] {
  const ranked = [...points].sort((a, b) => a.rank - b.rank);
  const isMarked = ({ runs }: (typeof ranked)[number]): boolean => runs.some(isDoubtful);
  const all = ranked.filter(isMarked).length;
  if (all === 0) return [];
  const first = ranked.slice(0, LOOKED_AT);
  const sound = ranked.find((point) => point.objective !== null && !isMarked(point));
  const next = sound === undefined ? "there is no other" : `the best of the others is point ${sound.index}, of rank ${sound.rank}`;
  return [`Doubtful are ${first.filter(isMarked).length} of the best ${first.length} points, and ${all} of all ${points.length}: ${next}`];
}
