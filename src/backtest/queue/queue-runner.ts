import type { Queue, QueueEvents } from "bullmq";
import { RunError } from "../../core/errors.js";
import { loadOptional, type OptionalModule } from "../../core/optional-part.js";
import type { Job, JobResult } from "../sweep/jobs/job-player.js";
import type { JobBatch, JobRunner } from "../sweep/jobs/job-runner.js";
import { withJobContext } from "../sweep/jobs/with-job-context.js";
import { decodeFailure } from "./job-failure.js";
import {
  parseQueueAddress,
  QUEUE_NAME,
  type QueueAddress,
  requireReachable,
  toConnectionOptions,
  watchAvailability,
} from "./queue-address.js";
import { historyLines, type QueueJob, type QueueResult, queueJob } from "./queue-job.js";

/** Most jobs of a sweep in the queue at once. */
const MOST_WAITING = 256;
/** Interval between checks of an awaited job: a server that lost its memory never reports it. */
const POLL_MS = 10_000;
/** Workers without the right history that a job may meet before it fails. */
const ATTEMPTS = 100;

/**
 * Runs jobs on workers that wait at a queue. The id of a job there contains its sweep and its own
 * name. So a job that is requested twice, or runs twice after a worker was killed, is one job with
 * one result.
 */
export class QueueRunner implements JobRunner {
  readonly #queue: Queue<QueueJob, QueueResult>;
  readonly #events: QueueEvents;
  readonly #version: string;
  readonly #pollMs: number;
  #stopTelling: () => void = () => {};

  private constructor(
    { Queue, QueueEvents }: OptionalModule<"bullmq">,
    address: QueueAddress,
    version: string,
    lookMs: number,
  ) {
    const connection = toConnectionOptions(address);
    this.#version = version;
    this.#pollMs = lookMs;
    this.#queue = new Queue(QUEUE_NAME, { connection });
    this.#events = new QueueEvents(QUEUE_NAME, { connection });
    // Each awaited job adds a listener to both.
    this.#queue.setMaxListeners(0);
    this.#events.setMaxListeners(0);
    // The clients wait for a server that is away; it is reported below.
    this.#queue.on("error", () => {});
    this.#events.on("error", () => {});
  }

  /** @throws ConfigError for an invalid address, RunError where no server answers */
  static async open(
    written: string,
    version: string,
    { onAvailability, pollMs = POLL_MS }: QueueRunnerOptions = {},
  ): Promise<QueueRunner> {
    const address = parseQueueAddress(written);
    const bullmq = await loadOptional("bullmq");
    await requireReachable(address);
    const runner = new QueueRunner(bullmq, address, version, pollMs);
    await runner.#events.waitUntilReady();
    if (onAvailability !== undefined)
      runner.#stopTelling = await watchAvailability(address, onAvailability);
    return runner;
  }

  async run(
    batch: JobBatch,
    onResult: (job: Job, result: JobResult) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { jobs } = batch;
    const history = historyLines(await batch.contents());
    let stop = (): void => {};
    const stopped = new Promise<undefined>((resolve) => {
      stop = () => resolve(undefined);
    });
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < jobs.length && !signal.aborted) {
        const job = jobs[next] as Job;
        next += 1;
        const pending = this.#runJob(batch, job, history);
        // A failure after the end is not reported.
        pending.catch(() => {});
        const outcome = await Promise.race([pending, stopped]);
        if (outcome === undefined) return;
        onResult(job, outcome.result);
        // Its result is on the disk.
        await outcome.forget();
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(MOST_WAITING, jobs.length) }, work));
    } catch (error) {
      next = jobs.length;
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async close(): Promise<void> {
    this.#stopTelling();
    await Promise.all([this.#queue.close(), this.#events.close()]);
  }

  async #runJob(
    { sweep, window }: JobBatch,
    job: Job,
    history: readonly string[],
  ): Promise<{ readonly result: JobResult; readonly forget: () => Promise<void> }> {
    const jobId = `${sweep.slice(0, 24)}-${job.id}`;
    const before = await this.#queue.getJob(jobId);
    // A job that failed in an earlier run of this sweep may succeed in this one.
    if (before !== undefined && (await before.isFailed())) await before.remove();
    const data = queueJob(this.#version, window, job, history);
    const forget = async (): Promise<void> => {
      await this.#queue.remove(jobId);
    };
    for (;;) {
      // A job that is there already is not added again.
      await this.#queue.add("run", data, { jobId, attempts: ATTEMPTS });
      const reported = await this.#answerTo(jobId, job);
      if (reported !== undefined) return { result: resultOf(job, reported.answer), forget };
    }
  }

  /**
   * Waits for the result of a job. Undefined where the job is gone: its server has lost it, or
   * another run of the same sweep took its result.
   * @throws the error that the job failed with
   */
  async #answerTo(jobId: string, job: Job): Promise<{ readonly answer: QueueResult } | undefined> {
    for (;;) {
      const queued = await this.#queue.getJob(jobId);
      if (queued === undefined) return undefined;
      if (await queued.isFailed()) throw withJobContext(job, decodeFailure(queued.failedReason));
      try {
        return { answer: await queued.waitUntilFinished(this.#events, this.#pollMs) };
      } catch {
        // It failed, it is gone, or the wait timed out: the next check shows which.
      }
    }
  }
}

/** Options for waiting at a queue. */
export interface QueueRunnerOptions {
  /** Called when the server went away, and when it is back. */
  readonly onAvailability?: (what: string) => void;
  /** Interval between checks of an awaited job, milliseconds. */
  readonly pollMs?: number;
}

/** @throws RunError for an answer that is not a valid result */
function resultOf({ id }: Job, answer: unknown): JobResult {
  const { figures, ended, reason, strategyError, doubts } = (
    typeof answer === "object" && answer !== null ? answer : {}
  ) as Partial<JobResult>;
  if (figures === undefined || ended === undefined || doubts === undefined) {
    throw new RunError("a worker sent an answer that is not a result", {
      field: id,
      value: answer,
      expected: "the figures of a backtest",
    });
  }
  return {
    figures,
    ended,
    ...(reason === undefined ? {} : { reason }),
    ...(strategyError === undefined ? {} : { strategyError }),
    doubts,
  };
}
