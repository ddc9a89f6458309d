import { parentPort, workerData } from "node:worker_threads";
import { describeThrown } from "../../core/describe-thrown.js";
import { RunError } from "../../core/errors.js";
import type { SealResult, SealStart } from "./day-sealer.js";
import { sealDays } from "./seal-days.js";

// The program of the thread that turns the lines of past days into Parquet files.
const { folder, today } = workerData as SealStart;
const answer = (result: SealResult): void => parentPort?.postMessage(result);
try {
  answer({ days: await sealDays(folder, today) });
} catch (error) {
  // Without DuckDB the lines stay, which is no fault of this thread.
  answer({ why: describeThrown(error), isMissing: error instanceof RunError });
}
