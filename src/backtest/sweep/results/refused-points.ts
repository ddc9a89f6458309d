import { relative } from "node:path";
import { ConfigError } from "../../../core/errors.js";
import type { GridError } from "../../../history/history-errors.js";
import type { BacktestConfig } from "../../config/backtest-config.js";
import { checkReplayedSizes } from "../../config/replayed-sizes.js";
import type { Point } from "../generate-points.js";
import type { JobResult } from "../jobs/job-player.js";
import { pointText } from "../sweep-config.js";
import type { SweepWindow } from "../windows.js";
import { FIGURE_NAMES, type Figures } from "./figures.js";
import { jobId } from "./rank-points.js";

const NO_FIGURES = Object.fromEntries(FIGURE_NAMES.map((name) => [name, null])) as Figures;

/** The result of a point that the market would not accept: it has no figures. */
export function refusedResult(reason: string): JobResult {
  return { figures: NO_FIGURES, ended: "refused", reason, doubts: [] };
}

/**
 * The reason why a bot with this configuration would not start in its markets; undefined where it
 * would. It would quote nothing here, and rank ahead of every point with a loss.
 */
export function refusedSize(config: BacktestConfig): string | undefined {
  try {
    checkReplayedSizes(config);
    return undefined;
  } catch (cause) {
    if (cause instanceof ConfigError) return cause.message;
    throw cause;
  }
}

/**
 * The reason why a history cannot be read on a point's grid, in words that do not depend on the
 * store's location.
 */
export function refusedGrid({ message, file }: GridError, { history }: BacktestConfig): string {
  return message.replace(file, relative(history.store, file));
}

/**
 * @throws ConfigError with the first point and its reason where the market would accept none of
 * them
 */
export function requireAcceptedPoint(
  window: SweepWindow,
  points: readonly Point[],
  done: ReadonlyMap<string, JobResult>,
): void {
  const results = points.map((point) => done.get(jobId(window, point)));
  const [first] = results;
  if (!results.every((result) => result?.ended === "refused")) return;
  const { index, values } = points[0] as Point;
  throw new ConfigError(
    `the market accepts no point: point ${index} (${pointText(values)}) is refused: ${first?.reason}`,
    { field: "parameters" },
  );
}
