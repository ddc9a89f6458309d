import type { BacktestConfig } from "../config/backtest-config.js";
import type { FillOptions } from "../engine/fill-options.js";
import { type ReportPaths, ReportWriter } from "../report/report-writer.js";
import type { AlternativeRun, RunOutcome } from "../report/run-meta.js";
import { buildRunMeta, type PlayPathOptions, playPath } from "./play-path.js";
import type { PlayedHistory } from "./played-history.js";

/** A path of the prices: for candles, the order of a bar's extremes. */
export type Path = FillOptions["path"];

/** Options of a path that writes its report as it is played. */
export interface RunPathOptions extends PlayPathOptions {
  /** The folder of the report. */
  readonly directory: string;
  /** True if an existing report there may be replaced. */
  readonly replace: boolean;
}

/** A path that was played and whose report is not yet in place. */
export interface PathRun {
  readonly outcome: RunOutcome;
  readonly path: Path;
  /** Its main figures, with nothing written yet. */
  headline(): AlternativeRun;
  /**
   * Writes the report and puts it in place.
   * @throws RunError as {@link ReportWriter.finish} does
   */
  finish(outcome: RunOutcome): Promise<ReportPaths>;
  /** Removes everything that {@link finish} has not put in place. */
  abandon(): Promise<void>;
}

/**
 * Plays one path.
 * @throws ConfigError, RunError or HistoryError, with nothing left of it
 */
export async function runPath(
  config: BacktestConfig,
  run: RunPathOptions,
  history: PlayedHistory,
  path: Path,
): Promise<PathRun> {
  const writer = new ReportWriter(run.directory, buildRunMeta(config, run, history), {
    replace: run.replace,
  });
  try {
    const outcome = await playPath(config, run, history, path, writer.observer);
    return {
      outcome,
      path,
      headline: () => {
        const { ended, reason, profit, drawdown, fills } = writer.report(outcome);
        return {
          name: describePath(path),
          ended,
          reason,
          profit: profit.total,
          maxDrawdown: drawdown.max,
          fills: fills.all.fills,
        };
      },
      finish: async (totals) => writer.finish(totals),
      abandon: async () => writer.abandon(),
    };
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

/** Describes a path through candles for readers. */
export function describePath(path: Path): string {
  return path === "ohlc"
    ? "the high before the low in every candle"
    : "the low before the high in every candle";
}
