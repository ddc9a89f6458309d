import { Queue, QueueEvents } from "bullmq";
import { RunError } from "../../core/errors.js";
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

/** Jobs of a sweep that lie in the queue at once. */
const MOST_WAITING = 256;
/** How often a job that is waited for is looked after: a server that lost its memory never tells of it. */
const POLL_MS = 10_000;
/** Workers that a job may meet which lack its history, before it is given up. */
const ATTEMPTS = 100;

/**
 * Has jobs run by workers that wait at a queue. A job's name there is its sweep's and its own, so that one that is asked for twice, or run twice after
 * a worker was killed, is one job with one result.
 */
export class QueueRunner implements JobRunner {
  readonly #queue: Queue<QueueJob, QueueResult>;
  readonly #events: QueueEvents;
  readonly #version: string;
  readonly #pollMs: number;
  #stopTelling: () => void = () => {};

  private constructor(address: QueueAddress, version: string, lookMs: number) {
    const connection = toConnectionOptions(address);
    this.#version = version;
    this.#pollMs = lookMs;
    this.#queue = new Queue(QUEUE_NAME, { connection });
    this.#events = new QueueEvents(QUEUE_NAME, { connection });
    // Each job that is waited for listens to both.
    this.#queue.setMaxListeners(0);
    this.#events.setMaxListeners(0);
    // A server that is away is waited for, and told of below.
    this.#queue.on("error", () => {});
    this.#events.on("error", () => {});
  }

  /** @throws ConfigError for what is no address, RunError where nobody answers */
  static async open(
    written: string,
    version: string,
    { onAvailability: onAway, pollMs: lookMs = POLL_MS }: QueueRunnerOptions = {},
  ): Promise<QueueRunner> {
    const address = parseQueueAddress(written);
    await requireReachable(address);
    const runner = new QueueRunner(address, version, lookMs);
    await runner.#events.waitUntilReady();
    if (onAway !== undefined) runner.#stopTelling = watchAvailability(address, onAway);
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
        const asked = this.#runJob(batch, job, history);
        // Nobody hears of one that fails after the end.
        asked.catch(() => {});
        const told = await Promise.race([asked, stopped]);
        if (told === undefined) return;
        onResult(job, told.result);
        // Its result is on the disk.
        await told.forget();
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
    // What failed in an earlier run of this sweep may go well in this one.
    if (before !== undefined && (await before.isFailed())) await before.remove();
    const data = queueJob(this.#version, window, job, history);
    const forget = async (): Promise<void> => {
      await this.#queue.remove(jobId);
    };
    for (;;) {
      // One that is there already is not added again.
      await this.#queue.add("run", data, { jobId, attempts: ATTEMPTS });
      const told = await this.#answerTo(jobId, job);
      if (told !== undefined) return { result: resultOf(job, told.answer), forget };
    }
  }

  /** What came of a job; undefined where it is gone: its server has lost it, or another run of the same sweep took its result. @throws what it failed with */
  async #answerTo(jobId: string, job: Job): Promise<{ readonly answer: QueueResult } | undefined> {
    for (;;) {
      const asked = await this.#queue.getJob(jobId);
      if (asked === undefined) return undefined;
      if (await asked.isFailed()) throw withJobContext(job, decodeFailure(asked.failedReason));
      try {
        return { answer: await asked.waitUntilFinished(this.#events, this.#pollMs) };
      } catch {
        // It failed, it is gone, or nothing was heard for so long: the next look tells which.
      }
    }
  }
}

/** How a sweep waits at its queue. */
export interface QueueRunnerOptions {
  /** Told when the server went away, and when it is back. */
  readonly onAvailability?: (what: string) => void;
  /** How often a job that is waited for is looked after, milliseconds. */
  readonly pollMs?: number;
}

/** @throws RunError for an answer that is no result */
function resultOf({ id }: Job, told: unknown): JobResult {
  const { figures, ended, reason, strategyError, doubts } = (
    typeof told === "object" && told !== null ? told : {}
  ) as Partial<JobResult>;
  if (figures === undefined || ended === undefined || doubts === undefined) {
    throw new RunError("was answered with something that is no result", {
      field: id,
      value: told,
      expected: "the figures of a run",
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
