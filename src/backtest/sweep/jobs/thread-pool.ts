import { Worker } from "node:worker_threads";
import { RunError } from "../../../core/errors.js";
import type { SharedHistory } from "../../run/opening/shared-history.js";
import { arrived } from "../../run/serialised-error.js";
import { strategiesKey } from "./input-files.js";
import type { Job, JobResult } from "./job-player.js";
import type { JobBatch, JobRunner } from "./job-runner.js";
import type { FromThread, ThreadStart, ToThread } from "./thread-messages.js";
import { inJob } from "./with-job-context.js";

/** Beside this module, in a build. */
const ENTRY = new URL("./job-thread.js", import.meta.url);

/** A replay's garbage dies young: room for more of it at once costs memory in every thread and makes none faster (bench `sweep-scaling`). */
const LIMITS = { maxYoungGenerationSizeMb: 12 } as const;

/** Jobs for each of the workers after which a thread is ended that none of them was for: it holds the history of its last one. */
const UNUSED_JOBS = 8;

/** What a pool is made with. */
export interface PoolOptions {
  readonly workers: number;
  /** Of this package. */
  readonly version: string;
  /** The thread's program. Default: the build's. */
  readonly entry?: URL;
  /** Node's options of the threads. Default: those of this process, whose module hooks each thread then has an isolate of its own for. */
  readonly execArgv?: readonly string[];
}

/** One thread, and what it is at. */
interface Hand {
  readonly worker: Worker;
  history: SharedHistory | undefined;
  /** Of the jobs that it has run for who takes them one by one: what they leave there, timers and promises, must end no job of others. */
  strategies: string | undefined;
  /** The number of its last job among all of those. */
  lastJob: number;
  /** Settles the job that it runs. */
  settle:
    | { readonly done: (result: JobResult) => void; readonly failed: (error: Error) => void }
    | undefined;
}

/** Runs jobs on threads of this process, which all read the same columns. */
export class ThreadPool implements JobRunner {
  readonly #options: PoolOptions;
  readonly #hands: Hand[] = [];
  /** Jobs that were taken one by one. */
  #taken = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async run(
    { jobs, open }: JobBatch,
    onResult: (job: Job, result: JobResult) => void,
    signal: AbortSignal,
  ): Promise<void> {
    if (jobs.length === 0) return;
    const history = await open();
    let next = 0;
    const work = async (hand: Hand): Promise<void> => {
      while (next < jobs.length && !signal.aborted) {
        const job = jobs[next] as Job;
        next += 1;
        const result = await this.#play(hand, history, job, signal).catch((error: Error) => {
          throw inJob(job, error);
        });
        if (result !== undefined) onResult(job, result);
      }
    };
    const wanted = Math.min(this.#options.workers, jobs.length);
    while (this.#hands.length < wanted) this.#hands.push(this.#begin());
    try {
      await Promise.all(this.#hands.slice(0, wanted).map(work));
    } catch (error) {
      // What the others run would be nobody's.
      next = jobs.length;
      await this.close();
      throw error;
    }
    if (signal.aborted) await this.close();
  }

  /** Runs one job on whatever thread is idle: for who takes jobs one by one. @throws what ended it, which does not say what job it was */
  async playOne(history: SharedHistory, job: Job): Promise<JobResult> {
    const strategies = strategiesKey(job.config, job.inputs);
    this.#taken += 1;
    const idle = this.#hands.filter(({ settle }) => settle === undefined);
    let hand = idle.find((one) => one.strategies === strategies);
    const ended = this.#endUnused(idle, hand);
    if (hand === undefined) {
      hand = this.#begin();
      hand.strategies = strategies;
      this.#hands.push(hand);
    }
    hand.lastJob = this.#taken;
    try {
      return (await this.#play(hand, history, job, NEVER)) as JobResult;
    } catch (error) {
      // What its strategy has left there would end the next job.
      await this.#end(hand);
      throw error;
    } finally {
      await ended;
    }
  }

  async close(): Promise<void> {
    const hands = this.#hands.splice(0);
    await Promise.all(hands.map(({ worker }) => worker.terminate()));
  }

  /**
   * Makes room for a job that `taken` is for, or a new thread. Sweeps of different strategies that are served in turn keep their threads, as many again
   * as run at once: to begin one takes longer than many a job.
   */
  async #endUnused(idle: readonly Hand[], taken: Hand | undefined): Promise<void> {
    const others = idle.filter((one) => one !== taken).sort((a, b) => a.lastJob - b.lastJob);
    const { workers } = this.#options;
    const tooMany = this.#hands.length + (taken === undefined ? 1 : 0) - 2 * workers;
    const unused = others.filter(
      ({ lastJob }, at) => at < tooMany || this.#taken - lastJob > UNUSED_JOBS * workers,
    );
    await Promise.all(unused.map((hand) => this.#end(hand)));
  }

  async #end(hand: Hand): Promise<void> {
    const at = this.#hands.indexOf(hand);
    if (at >= 0) this.#hands.splice(at, 1);
    await hand.worker.terminate();
  }

  #begin(): Hand {
    const { version, entry = ENTRY, execArgv } = this.#options;
    const workerData: ThreadStart = { version };
    const hand: Hand = {
      worker: new Worker(entry, {
        workerData,
        resourceLimits: LIMITS,
        ...(execArgv === undefined ? {} : { execArgv: [...execArgv] }),
      }),
      history: undefined,
      strategies: undefined,
      lastJob: 0,
      settle: undefined,
    };
    const fail = (error: Error): void => {
      const at = this.#hands.indexOf(hand);
      if (at >= 0) this.#hands.splice(at, 1);
      hand.settle?.failed(error);
    };
    hand.worker.on("message", (told: FromThread) => {
      if (told.kind === "result") hand.settle?.done(told.result);
      else hand.settle?.failed(arrived(told.error));
    });
    hand.worker.on("error", (cause) =>
      fail(
        new RunError(`a worker died: ${cause instanceof Error ? cause.message : String(cause)}`, {
          cause,
        }),
      ),
    );
    hand.worker.on("exit", (code) => fail(new RunError(`a worker ended by itself, with ${code}`)));
    return hand;
  }

  /** Undefined when the signal came first. */
  #play(
    hand: Hand,
    history: SharedHistory,
    job: Job,
    signal: AbortSignal,
  ): Promise<JobResult | undefined> {
    return new Promise<JobResult | undefined>((resolve, reject) => {
      const stop = (): void => settled(() => resolve(undefined));
      const settled = (then: () => void): void => {
        hand.settle = undefined;
        signal.removeEventListener("abort", stop);
        then();
      };
      signal.addEventListener("abort", stop);
      hand.settle = {
        done: (result) => settled(() => resolve(result)),
        failed: (error) => settled(() => reject(error)),
      };
      const tell = (message: ToThread): void => hand.worker.postMessage(message);
      if (hand.history !== history) tell({ kind: "history", history });
      hand.history = history;
      tell({ kind: "job", job });
    });
  }
}

const NEVER = new AbortController().signal;
