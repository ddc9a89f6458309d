import type { BacktestConfig } from "../config/backtest-config.js";
import type { ReportPaths } from "../report/report-writer.js";
import type { AlternativeRun, RunOutcome } from "../report/run-meta.js";
import type { SharedHistory } from "./opening/shared-history.js";
import type { Path, RunPathOptions } from "./path-run.js";
import type { SerialisedError } from "./serialised-error.js";

/** Start data of a thread that plays a path. Its history has candles alone. */
export interface PathStart {
  readonly config: BacktestConfig;
  readonly run: Pick<RunPathOptions, "strategyFiles" | "version" | "directory" | "replace">;
  readonly history: SharedHistory;
  readonly path: Path;
}

/** Messages to the thread: stop playing, put the report in place, or remove everything of it. */
export type ToPath =
  | { readonly kind: "stop" }
  | { readonly kind: "finish"; readonly outcome: RunOutcome }
  | { readonly kind: "abandon" };

/**
 * Messages from the thread: its progress, the end of playing, its report in place, or the error
 * that ended it.
 */
export type FromPath =
  | { readonly kind: "progress"; readonly atUs: number }
  | { readonly kind: "played"; readonly outcome: RunOutcome; readonly headline: AlternativeRun }
  | { readonly kind: "finished"; readonly paths: ReportPaths }
  | { readonly kind: "failed"; readonly error: SerialisedError };
