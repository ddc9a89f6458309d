import type { SerialisedError } from "../../backtest/run/serialised-error.js";
import type { RehearsedRun } from "../rehearsal-result.js";

/** Answers of a thread to a job, which is a {@link RunJob}. */
export type FromRunThread =
  | { readonly kind: "run"; readonly run: RehearsedRun }
  | { readonly kind: "failed"; readonly error: SerialisedError };
