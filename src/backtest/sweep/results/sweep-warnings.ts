import { FIGURES } from "./figures.js";
import type { SweepResult } from "./sweep-json.js";
import { hasWarnings, warningText } from "./warning-text.js";

/** Number of top points that are checked. */
const LOOKED_AT = 10;

/**
 * Warnings for the reader of a sweep's ranking, a sentence each without its full stop. They report
 * a failed strategy, a ranking by a figure that no point has, and a best point that did nothing or
 * is unreliable. They also report unreliable profit on the test windows, and how many of the top
 * points are unreliable. Empty where there is no such case.
 */
export function sweepWarnings(result: SweepResult): string[] {
  const { points, best, walkForward } = result;
  const chosen = warningText(points[best]?.runs ?? []);
  const tested = warningText((walkForward?.splits ?? []).map(({ tested }) => tested));
  return [
    ...strategyErrors(result),
    ...figureDoubts(result),
    ...fillDoubts(result),
    ...(chosen === "" ? [] : [`The best point, ${best}, may be too optimistic: ${chosen}`]),
    ...(tested === "" ? [] : [`The profit on the test windows may be too optimistic: ${tested}`]),
    ...rankingDoubts(points),
  ];
}

/**
 * The strategy may fail at some points alone, for example for a parameter that it does not accept.
 */
export function strategyErrors({ points, walkForward }: SweepResult): string[] {
  const runs = [
    ...points.flatMap(({ index, runs }) => runs.map((run) => ({ index, ...run }))),
    ...(walkForward?.splits ?? []).map(({ best, tested }) => ({ index: best, ...tested })),
  ];
  const failed = runs.filter(({ strategyError }) => strategyError !== undefined);
  const [first] = failed;
  if (first === undefined) return [];
  return [
    `The strategy failed in ${failed.length} of ${runs.length} runs, for example that of point ${first.index}: ${first.strategyError}`,
  ];
}

/** Where no point has the figure, the first point is in the best one's place. */
function figureDoubts({ points, objective: { figure }, windows }: SweepResult): string[] {
  const lacking = windows.filter((_, at) =>
    points.every(({ runs }) => runs[at]?.figures[figure] === null),
  ).length;
  if (lacking === 0) return [];
  const where = windows.length === 1 ? "" : ` in ${lacking} of ${windows.length} train windows`;
  return [
    `No point has a ${FIGURES[figure].words}${where}: the first point is shown as the best, but none was chosen`,
  ];
}

/** Where every point that trades loses, a point that does nothing ranks best. */
function fillDoubts({ points, best }: SweepResult): string[] {
  const runs = points[best]?.runs ?? [];
  const idle = runs.filter(({ figures }) => figures.fills === 0).length;
  if (idle === 0) return [];
  return [
    `The best point, ${best}, had no fill${runs.length === 1 ? "" : ` in ${idle} of ${runs.length} windows`}: a bot that does nothing has the same result`,
  ];
}

function rankingDoubts(points: SweepResult["points"]): string[] {
  const ranked = [...points].sort((a, b) => a.rank - b.rank);
  const isMarked = ({ runs }: (typeof ranked)[number]): boolean => runs.some(hasWarnings);
  const all = ranked.filter(isMarked).length;
  if (all === 0) return [];
  const first = ranked.slice(0, LOOKED_AT);
  const hasFills = ({ runs }: (typeof ranked)[number]): boolean =>
    runs.some(({ figures }) => figures.fills !== null && figures.fills !== 0);
  const sound = ranked.find(
    (point) => point.objective !== null && hasFills(point) && !isMarked(point),
  );
  const next =
    sound === undefined
      ? "every point with fills has warnings"
      : `the best point with fills and without warnings is ${sound.index}, rank ${sound.rank}`;
  return [
    `${first.filter(isMarked).length} of the best ${first.length} points have warnings, and ${all} of all ${points.length}: ${next}`,
  ];
}
