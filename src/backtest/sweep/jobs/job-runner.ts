import type { SharedHistory } from "../../run/opening/shared-history.js";
import type { PlayedHistory } from "../../run/played-history.js";
import type { SweepWindow } from "../windows.js";
import type { Job, JobResult } from "./job-player.js";

/**
 * The properties by which two histories are known to be the same: days may have the same rows and
 * other gaps.
 */
export type HistoryContents = Pick<PlayedHistory, "files" | "gaps">;

/** A window with its jobs. */
export interface JobBatch {
  /** The sweep's fingerprint. */
  readonly sweep: string;
  readonly window: SweepWindow;
  readonly jobs: readonly Job[];
  /** Opens the window's history in this process. Not called where jobs run elsewhere. */
  readonly open: () => Promise<SharedHistory>;
  /** The files of the store in the window's history, and its gaps. */
  readonly contents: () => Promise<HistoryContents>;
}

/** Runs jobs: on this machine's cores, or on the workers of a queue. */
export interface JobRunner {
  /**
   * Runs all jobs of a batch, in any order, and reports each result as it comes, before it
   * resolves.
   * @param signal ends it early: running jobs are abandoned, and the promise resolves.
   * @throws RunError or ConfigError when a job cannot be run to its end
   */
  run(
    batch: JobBatch,
    onResult: (job: Job, result: JobResult) => void,
    signal: AbortSignal,
  ): Promise<void>;
  close(): Promise<void>;
}
