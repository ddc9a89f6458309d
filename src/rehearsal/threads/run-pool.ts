import { Worker } from "node:worker_threads";
import { deserialiseError } from "../../backtest/run/serialised-error.js";
import { RunError } from "../../core/errors.js";
import type { RehearsedRun } from "../rehearsal-result.js";
import type { FromRunThread } from "./run-messages.js";
import type { RunJob, SharedRunOptions } from "./run-player.js";

/** Beside this module, in a build. */
const ENTRY = new URL("./run-thread.js", import.meta.url);

/**
 * Plays runs on threads of their own, and reports each when it is done.
 * @param signal ends it early: runs in progress are abandoned
 * @throws the first error of a run, once every thread has ended
 */
export async function playOnThreads(
  shared: SharedRunOptions,
  jobs: readonly RunJob[],
  threads: number,
  onRun: (run: RehearsedRun) => void,
  signal: AbortSignal,
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    const worker = new Worker(ENTRY, { workerData: shared });
    const stop = (): void => void worker.terminate();
    signal.addEventListener("abort", stop);
    try {
      while (next < jobs.length && !signal.aborted) {
        const job = jobs[next] as RunJob;
        next += 1;
        const run = await playOn(worker, job, signal);
        if (run !== undefined) onRun(run);
      }
    } catch (error) {
      next = jobs.length;
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
      await worker.terminate();
    }
  };
  const results = await Promise.allSettled(
    Array.from({ length: Math.min(threads, jobs.length) }, work),
  );
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** One run on a thread; undefined if the signal came first. */
function playOn(
  worker: Worker,
  job: RunJob,
  signal: AbortSignal,
): Promise<RehearsedRun | undefined> {
  return new Promise((resolve, reject) => {
    const settled = (then: () => void): void => {
      worker.off("message", onMessage);
      worker.off("error", onError);
      worker.off("exit", onExit);
      then();
    };
    const onMessage = (message: FromRunThread): void =>
      settled(() =>
        message.kind === "run" ? resolve(message.run) : reject(deserialiseError(message.error)),
      );
    const onError = (cause: unknown): void =>
      settled(() =>
        reject(
          new RunError(`a thread failed: ${cause instanceof Error ? cause.message : cause}`, {
            cause,
          }),
        ),
      );
    const onExit = (code: number): void =>
      settled(() =>
        signal.aborted
          ? resolve(undefined)
          : reject(new RunError(`a thread ended unexpectedly with exit code ${code}`)),
      );
    worker.on("message", onMessage);
    worker.on("error", onError);
    worker.on("exit", onExit);
    worker.postMessage(job);
  });
}
