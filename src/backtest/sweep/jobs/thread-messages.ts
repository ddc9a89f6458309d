import type { SharedHistory } from "../../run/opening/shared-history.js";
import type { SerialisedError } from "../../run/serialised-error.js";
import type { Job, JobResult } from "./job-player.js";

/** Start data of a worker thread. */
export interface ThreadStart {
  readonly version: string;
}

/** Messages to the thread: the history of the jobs that follow, or a job. */
export type ToThread =
  | { readonly kind: "history"; readonly history: SharedHistory }
  | { readonly kind: "job"; readonly job: Job };

/** Answers of the thread to a job. */
export type FromThread =
  | { readonly kind: "result"; readonly result: JobResult }
  | { readonly kind: "failed"; readonly error: SerialisedError };
