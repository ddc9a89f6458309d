import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { RunError } from "#core/errors.js";
import type { Arm } from "./value-arms.js";
import type { Market, ValueRun } from "./value-run.js";

/** One bot on one seed of the exchange. */
export interface ValueJob {
  readonly arm: Arm;
  readonly seed: number;
  readonly market: Market;
}

/** A job's result. */
export interface ValueAnswer {
  readonly job: ValueJob;
  readonly run: ValueRun;
}

const WORKER = fileURLToPath(new URL("value-worker.ts", import.meta.url));

/**
 * Runs jobs in processes of their own.
 * @returns the results, in any order
 * @throws RunError if a process ends before its job is done
 */
export async function runJobs(
  jobs: readonly ValueJob[],
  processes: number,
  onDone: (answer: ValueAnswer) => void,
): Promise<readonly ValueAnswer[]> {
  const waiting = [...jobs];
  const answers: ValueAnswer[] = [];
  const workers = Array.from({ length: Math.min(processes, jobs.length) }, () =>
    fork(WORKER, { serialization: "advanced" }),
  );
  const runAll = (worker: ChildProcess): Promise<void> =>
    new Promise((resolve, reject) => {
      const next = (): void => {
        const job = waiting.shift();
        if (job === undefined) resolve();
        else worker.send(job);
      };
      worker.on("message", (answer: ValueAnswer) => {
        answers.push(answer);
        onDone(answer);
        next();
      });
      worker.once("exit", (code) =>
        reject(new RunError(`a process of the experiment ended with code ${code}`)),
      );
      next();
    });
  try {
    await Promise.all(workers.map(runAll));
  } finally {
    for (const worker of workers) worker.kill();
  }
  return answers;
}
