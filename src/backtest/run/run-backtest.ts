import { Decimal } from "decimal.js";
import type { MarketId } from "../../core/units.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import type { StrategyError } from "../record/strategy-errors.js";
import type { ReportPaths } from "../report/report-writer.js";
import type { RunOutcome } from "../report/run-meta.js";
import { openHistory } from "./opening/open-history.js";
import { describePath, type PathRun, type RunPathOptions, runPath } from "./path-run.js";
import type { PlayedHistory } from "./played-history.js";
import { ThreadedPath } from "./threaded-path.js";

/** Options of a backtest, besides its file. */
export interface RunBacktestOptions extends RunPathOptions {
  /** Called when the columns of a day are built, which takes seconds the first time. */
  readonly onMake?: (market: string, day: string) => void;
  /** Called with the span of the replay, before it begins. */
  readonly onOpen?: (history: Pick<PlayedHistory, "startUs" | "endUs">) => void;
  /**
   * Program of a thread that plays the second path through candles while this thread plays the
   * first, with the strategies named in the bot's file. It needs a second core. Of that path only
   * the progress is reported, once the first is over. Without it one path is played after the
   * other.
   */
  readonly pathThread?: URL;
  /**
   * With fewer bars than this, of all markets together, no thread is started. Default:
   * {@link THREAD_FROM_BARS}.
   */
  readonly threadFromBars?: number;
}

/** The result of a backtest. */
export interface BacktestResult extends ReportPaths {
  /** Gaps in the store's coverage of the span, as text. */
  readonly gaps: readonly string[];
}

/**
 * Number of bars from which a thread for the second path saves time. The thread compiles the whole
 * bot again, which takes 2.5 to 3 s of CPU. On two free cores both paths of 5,760 bars take 3.6 s
 * in one thread and 4.6 s in two, of 8,640 bars 4.8 s and 5.0 s, of 12,000 bars 7.0 s and 4.5 s, of
 * a year's 35,040 bars 11.1 s and 8.5 s. (Measured: `runBacktest` without and with `pathThread` on
 * the candles and the bot of `bench/replay-klines.bench.ts`, each in a process of its own, the
 * least of two or three.)
 */
export const THREAD_FROM_BARS = 9_000;

/** Both orders of a bar's extremes. */
const BOTH_PATHS = ["ohlc", "olhc"] as const;

/**
 * Runs a backtest and writes its report. Candles are run along both paths, each with a report in
 * the making. The report of the worse path is kept, with the other's headline figures in it.
 * @throws ConfigError for errors of the files or gaps of the store; RunError and HistoryError
 */
export async function runBacktest(
  config: BacktestConfig,
  run: RunBacktestOptions,
): Promise<BacktestResult> {
  const history = await openHistory(config, run.onMake);
  run.onOpen?.(history);
  const { path } = config.fills;
  if (path === "worse" && history.grade === "klines") return runBothPaths(config, run, history);
  const played = await runPath(config, run, history, path === "worse" ? BOTH_PATHS[0] : path);
  return { ...(await played.finish(played.outcome)), gaps: history.gaps };
}

async function runBothPaths(
  config: BacktestConfig,
  run: RunBacktestOptions,
  history: PlayedHistory,
): Promise<BacktestResult> {
  const [here, there] = BOTH_PATHS;
  const { pathThread, threadFromBars = THREAD_FROM_BARS } = run;
  const isLong = barsOf(history) >= threadFromBars;
  const beside = isLong
    ? pathThread && new ThreadedPath(pathThread, config, run, history, there)
    : undefined;
  const runs: PathRun[] = [];
  try {
    const first = await runPath(config, run, history, here);
    runs.push(first);
    if (!isStopped(first))
      runs.push(await (beside?.played(run.onProgress) ?? runPath(config, run, history, there)));
    const { chosen, outcome } = chosenOf(first, runs[1]);
    return { ...(await chosen.finish(outcome)), gaps: history.gaps };
  } finally {
    await beside?.abandon();
    for (const played of runs) await played.abandon();
  }
}

/** Of all markets together. */
function barsOf({ markets }: PlayedHistory): number {
  return markets.reduce((sum, { klines }) => sum + (klines?.bars ?? 0), 0);
}

/**
 * The reported run: of both paths the one with less profit, as far as both were played to their
 * end.
 */
function chosenOf(
  first: PathRun,
  second: PathRun | undefined,
): { readonly chosen: PathRun; readonly outcome: RunOutcome } {
  if (second === undefined || isStopped(second)) {
    const reason = `the run was interrupted before both paths through the candles were replayed: this report has only ${describePath(first.path)}`;
    return { chosen: first, outcome: { ...first.outcome, ended: "stopped", reason } };
  }
  const [high, low] = [first.headline(), second.headline()];
  const isFirstWorse = new Decimal(high.profit).lte(low.profit);
  const [chosen, other] = isFirstWorse ? [first, low] : [second, high];
  return {
    chosen,
    outcome: {
      ...chosen.outcome,
      strategyErrors: errorsOf([chosen, ...(isFirstWorse ? [second] : [first])]),
      alternatives: [other],
    },
  };
}

/** The first error of each market's strategy: of the reported path, else of the other. */
function errorsOf(runs: readonly PathRun[]): readonly StrategyError[] {
  const errors = new Map<MarketId, StrategyError>();
  for (const error of runs.flatMap(({ outcome }) => outcome.strategyErrors ?? []))
    if (!errors.has(error.marketId)) errors.set(error.marketId, error);
  return [...errors.values()];
}

function isStopped({ outcome }: PathRun): boolean {
  return outcome.ended === "stopped";
}
