import { Worker } from "node:worker_threads";
import { RunError } from "../../../core/errors.js";
import type { SharedHistory } from "../../run/opening/shared-history.js";
import { deserialiseError } from "../../run/serialised-error.js";
import { strategiesKey } from "./input-files.js";
import type { Job, JobResult } from "./job-player.js";
import type { JobBatch, JobRunner } from "./job-runner.js";
import type { FromThread, ThreadStart, ToThread } from "./thread-messages.js";
import { withJobContext } from "./with-job-context.js";

/**
 * Beside this module, in a build. Half a second of a thread's start loads some 670 modules. In one
 * file they would take 0.12 s, but strategy files import the same modules, and errors and schemas
 * are recognised by their class. The first run takes 2 to 3 s of processor time more, in V8's
 * optimising compiler, which no cache saves.
 */
const ENTRY = new URL("./job-thread.js", import.meta.url);

/**
 * A replay's garbage dies young: a larger young generation costs memory in every thread and makes
 * none faster (bench `sweep-scaling`).
 */
const LIMITS = { maxYoungGenerationSizeMb: 12 } as const;

/**
 * A thread that was unused for this many jobs per worker is ended: it holds the history of its last
 * job.
 */
const UNUSED_JOBS = 8;

/** Options of a pool. */
export interface ThreadPoolOptions {
  readonly workers: number;
  /** Version of this package. */
  readonly version: string;
  /** The thread's program. Default: the build's. */
  readonly entry?: URL;
  /**
   * Node's options of the threads. Default: those of this process; each thread then runs its module
   * hooks in an isolate of their own.
   */
  readonly execArgv?: readonly string[];
}

/** One thread, and its present job. */
interface PoolThread {
  readonly worker: Worker;
  history: SharedHistory | undefined;
  /**
   * Key of the strategies of its single jobs. Timers and promises that they leave behind must not
   * end a job of other strategies.
   */
  strategies: string | undefined;
  /** Number of its last single job, among all of them. */
  lastJob: number;
  /** Settles the running job. */
  settle:
    | { readonly done: (result: JobResult) => void; readonly failed: (error: Error) => void }
    | undefined;
}

/** Runs jobs on threads of this process, which all read the same columns. */
export class ThreadPool implements JobRunner {
  readonly #options: ThreadPoolOptions;
  readonly #threads: PoolThread[] = [];
  /** Number of single jobs so far. */
  #singleJobs = 0;

  constructor(options: ThreadPoolOptions) {
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
    const work = async (hand: PoolThread): Promise<void> => {
      while (next < jobs.length && !signal.aborted) {
        const job = jobs[next] as Job;
        next += 1;
        const result = await this.#play(hand, history, job, signal).catch((error: Error) => {
          throw withJobContext(job, error);
        });
        if (result !== undefined) onResult(job, result);
      }
    };
    const wanted = Math.min(this.#options.workers, jobs.length);
    while (this.#threads.length < wanted) this.#threads.push(this.#begin());
    try {
      await Promise.all(this.#threads.slice(0, wanted).map(work));
    } catch (error) {
      // The results of further jobs would not be used.
      next = jobs.length;
      await this.close();
      throw error;
    }
    if (signal.aborted) await this.close();
  }

  /**
   * Runs one job on any idle thread, for callers with single jobs.
   * @throws the error that ended it, which does not name the job
   */
  async playOne(history: SharedHistory, job: Job): Promise<JobResult> {
    const strategies = strategiesKey(job.config, job.inputs);
    this.#singleJobs += 1;
    const idle = this.#threads.filter(({ settle }) => settle === undefined);
    let hand = idle.find((one) => one.strategies === strategies);
    const ended = this.#endUnused(idle, hand);
    if (hand === undefined) {
      hand = this.#begin();
      hand.strategies = strategies;
      this.#threads.push(hand);
    }
    hand.lastJob = this.#singleJobs;
    try {
      return (await this.#play(hand, history, job, NEVER)) as JobResult;
    } catch (error) {
      // Work that its strategy left behind would end the next job.
      await this.#end(hand);
      throw error;
    } finally {
      await ended;
    }
  }

  async close(): Promise<void> {
    const hands = this.#threads.splice(0);
    await Promise.all(hands.map(({ worker }) => worker.terminate()));
  }

  /**
   * Ends threads that have not been used lately, but not `taken`, the one for the next job. This
   * makes room for a new thread where there is none. Sweeps of different strategies that are served
   * in turn keep their threads, up to twice the number that runs at once: starting one takes longer
   * than many a job.
   */
  async #endUnused(idle: readonly PoolThread[], taken: PoolThread | undefined): Promise<void> {
    const others = idle.filter((one) => one !== taken).sort((a, b) => a.lastJob - b.lastJob);
    const { workers } = this.#options;
    const tooMany = this.#threads.length + (taken === undefined ? 1 : 0) - 2 * workers;
    const unused = others.filter(
      ({ lastJob }, at) => at < tooMany || this.#singleJobs - lastJob > UNUSED_JOBS * workers,
    );
    await Promise.all(unused.map((hand) => this.#end(hand)));
  }

  async #end(hand: PoolThread): Promise<void> {
    const at = this.#threads.indexOf(hand);
    if (at >= 0) this.#threads.splice(at, 1);
    await hand.worker.terminate();
  }

  #begin(): PoolThread {
    const { version, entry = ENTRY, execArgv } = this.#options;
    const workerData: ThreadStart = { version };
    const hand: PoolThread = {
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
      const at = this.#threads.indexOf(hand);
      if (at >= 0) this.#threads.splice(at, 1);
      hand.settle?.failed(error);
    };
    hand.worker.on("message", (message: FromThread) => {
      if (message.kind === "result") hand.settle?.done(message.result);
      else hand.settle?.failed(deserialiseError(message.error));
    });
    hand.worker.on("error", (cause) =>
      fail(
        new RunError(`a worker failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
          cause,
        }),
      ),
    );
    hand.worker.on("exit", (code) =>
      fail(new RunError(`a worker ended unexpectedly with exit code ${code}`)),
    );
    return hand;
  }

  /** Undefined when the signal came first. */
  #play(
    hand: PoolThread,
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
