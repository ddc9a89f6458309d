import type { BacktestConfig } from "../config/backtest-config.js";
import type { ReportPaths } from "../report/report-writer.js";
import type { AlternativeRun, RunOutcome } from "../report/run-meta.js";
import type { SharedHistory } from "./opening/shared-history.js";
import type { Path, RunPathOptions } from "./path-run.js";
import type { SerialisedError } from "./serialised-error.js";

/** What a thread that plays a path is begun with. Its history has candles alone. */
export interface PathStart {
  readonly config: BacktestConfig;
  readonly run: Pick<RunPathOptions, "strategyFiles" | "version" | "directory" | "replace">;
  readonly history: SharedHistory;
  readonly path: Path;
}

/** What it is told: to play no further, to put its report in place, or to leave nothing of it. */
export type ToPath =
  | { readonly kind: "stop" }
  | { readonly kind: "finish"; readonly outcome: RunOutcome }
  | { readonly kind: "abandon" };

/** What it tells: how far it is, that it has played, that its report is in place, or what ended it. */
export type FromPath =
  | { readonly kind: "progress"; readonly atUs: number }
  | { readonly kind: "played"; readonly outcome: RunOutcome; readonly headline: AlternativeRun }
  | { readonly kind: "finished"; readonly paths: ReportPaths }
  | { readonly kind: "failed"; readonly error: SerialisedError };
