import { Decimal } from "decimal.js";
import { formatInstant } from "../../report/page/format-instant.js";
import type { Point } from "../generate-points.js";
import type { JobResult } from "../jobs/job-player.js";
import type { Split, SweepWindow } from "../windows.js";
import {
  compareFigures,
  type Figures,
  type FigureValue,
  findBest,
  type Objective,
} from "./figures.js";
import type { SweepResult } from "./sweep-json.js";

/** The unique name of a job in its sweep. */
export function jobId(window: SweepWindow, point: Point): string {
  return `${window.name}-${point.index}`;
}

/** The best point of a window, all of whose jobs are done; the first of equals. */
export function bestPoint(
  window: SweepWindow,
  points: readonly Point[],
  done: ReadonlyMap<string, JobResult>,
  objective: Objective,
): Point {
  const figureOf = (point: Point): FigureValue =>
    done.get(jobId(window, point))?.figures[objective.figure] ?? null;
  return findBest(points, figureOf, objective.goal) as Point;
}

/** Every point with its runs on all windows, ranked. */
export function rankedPoints(
  points: readonly Point[],
  windows: readonly SweepWindow[],
  done: ReadonlyMap<string, JobResult>,
  { figure, goal }: Objective,
): SweepResult["points"] {
  const rows = points.map((point) => {
    const runs = windows.map((window) => done.get(jobId(window, point)) as JobResult);
    return { point, runs, objective: meanOf(runs.map(({ figures }) => figures[figure])) };
  });
  const order = [...rows].sort(
    (a, b) => compareFigures(a.objective, b.objective, goal) || a.point.index - b.point.index,
  );
  const ranks = new Map(order.map((row, at) => [row, at + 1]));
  return rows.map((row) => ({
    index: row.point.index,
    values: row.point.values,
    rank: ranks.get(row) as number,
    objective: row.objective,
    runs: row.runs.map(runText),
  }));
}

/** The result of each train window's best point on the window after it. */
export function walkedForward(
  splits: readonly Split[],
  points: readonly Point[],
  done: ReadonlyMap<string, JobResult>,
  objective: Objective,
): NonNullable<SweepResult["walkForward"]> {
  const rows = splits.map(({ train, test }) => {
    const best = bestPoint(train, points, done, objective);
    const [trained, tested] = [train, test].map(
      (window) => done.get(jobId(window, best)) as JobResult,
    ) as [JobResult, JobResult];
    return {
      train: windowText(train),
      test: windowText(test),
      best: best.index,
      values: best.values,
      trained: runText(trained),
      tested: runText(tested),
    };
  });
  const profits = rows.map(({ tested }) => new Decimal(tested.figures.profit ?? 0));
  return {
    splits: rows,
    tested: {
      profit: profits.reduce((sum, profit) => sum.add(profit), new Decimal(0)).toFixed(),
      positive: profits.filter((profit) => profit.gt(0)).length,
    },
  };
}

/** A window for display. */
export function windowText({ name, fromUs, toUs }: SweepWindow): SweepResult["windows"][number] {
  return { name, from: formatInstant(fromUs), to: formatInstant(toUs) };
}

function runText({
  figures,
  ended,
  reason,
  strategyError,
  doubts,
}: JobResult): SweepResult["points"][number]["runs"][number] {
  return {
    figures: figures as Record<keyof Figures, FigureValue>,
    ended,
    ...(reason === undefined ? {} : { reason }),
    ...(strategyError === undefined ? {} : { strategyError }),
    doubts: [...doubts],
  };
}

/** The figure itself where there is one; the mean of several. */
function meanOf(figures: readonly FigureValue[]): FigureValue {
  const [first = null] = figures;
  if (figures.length === 1) return first;
  if (figures.some((figure) => figure === null)) return null;
  const sum = figures.reduce<Decimal>((total, figure) => total.add(figure ?? 0), new Decimal(0));
  const mean = sum.div(figures.length);
  return typeof first === "string"
    ? mean.toDecimalPlaces(MEAN_DECIMALS).toFixed()
    : mean.toNumber();
}

/** Decimals of a mean of money. */
const MEAN_DECIMALS = 18;
