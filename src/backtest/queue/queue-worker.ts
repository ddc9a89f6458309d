import type { Job as BullJob, Worker } from "bullmq";
import { ConfigError } from "../../core/errors.js";
import { loadOptional, type OptionalModule } from "../../core/optional-part.js";
import { ChangedInput } from "../run/opening/changed-input.js";
import { historyKey, openHistory } from "../run/opening/open-history.js";
import type { SharedHistory } from "../run/opening/shared-history.js";
import type { Job } from "../sweep/jobs/job-player.js";
import { openShared, restrictToWindow } from "../sweep/jobs/open-shared.js";
import { ThreadPool } from "../sweep/jobs/thread-pool.js";
import { encodeFailure } from "./job-failure.js";
import {
  parseQueueAddress,
  QUEUE_NAME,
  requireReachable,
  toConnectionOptions,
  watchAvailability,
} from "./queue-address.js";
import { historyLines, type QueueJob, type QueueResult, toJob } from "./queue-job.js";

/** Options of a worker. */
export interface QueueWorkerOptions {
  readonly address: string;
  /** Where this machine's history is. */
  readonly store: string;
  /** Runs at once. */
  readonly workers: number;
  /** Version of this package. */
  readonly version: string;
  /** How long a job stays locked without a sign of life before another worker runs it. */
  readonly lockMs?: number;
  /** Program of the worker threads. Default: the build's. */
  readonly entry?: URL;
  /** Called when the server went away, and when it is back. */
  readonly onAvailability?: (what: string) => void;
  /** Called when a job begins and ends. */
  readonly onJob?: (id: string, what: "begins" | "done" | "failed") => void;
}

const LOCK_MS = 30_000;
/** Histories that are cached: a window's, and the one before or after it. */
const MAX_HISTORIES = 2;
/** A job may outlive any number of workers. */
const MOST_STALLED = 1_000_000;

/**
 * Takes the jobs of sweeps from a queue and runs them on this machine's cores, until it is closed.
 */
export class QueueWorker {
  /**
   * Rejects with the ConfigError when a job shows that this worker has another history or another
   * version. It then takes no more jobs.
   */
  readonly refused: Promise<never>;
  readonly #options: QueueWorkerOptions;
  readonly #pool: ThreadPool;
  readonly #UnrecoverableError: OptionalModule<"bullmq">["UnrecoverableError"];
  readonly #worker: Worker<QueueJob, QueueResult>;
  readonly #histories = new Map<string, Promise<SharedHistory>>();
  #refuse: (error: ConfigError) => void = () => {};
  #stopTelling: () => void = () => {};

  private constructor(
    { UnrecoverableError, Worker }: OptionalModule<"bullmq">,
    options: QueueWorkerOptions,
  ) {
    this.#UnrecoverableError = UnrecoverableError;
    const { workers, version, entry, address, lockMs = LOCK_MS } = options;
    this.#options = options;
    this.refused = new Promise((_, reject) => {
      this.#refuse = reject;
    });
    // Without a listener the rejection is ignored: the worker only stops taking jobs.
    this.refused.catch(() => {});
    this.#pool = new ThreadPool({ workers, version, entry });
    this.#worker = new Worker(
      QUEUE_NAME,
      (job: BullJob<QueueJob, QueueResult>) => this.#run(job.data),
      {
        connection: toConnectionOptions(parseQueueAddress(address)),
        concurrency: workers,
        lockDuration: lockMs,
        stalledInterval: lockMs,
        maxStalledCount: MOST_STALLED,
      },
    );
    // The worker waits for a server that is away.
    this.#worker.on("error", () => {});
  }

  /** @throws ConfigError for an invalid address, RunError where no server answers */
  static async open(options: QueueWorkerOptions): Promise<QueueWorker> {
    const address = parseQueueAddress(options.address);
    const bullmq = await loadOptional("bullmq");
    await requireReachable(address);
    const worker = new QueueWorker(bullmq, options);
    await worker.#worker.waitUntilReady();
    const { onAvailability } = options;
    if (onAvailability !== undefined)
      worker.#stopTelling = await watchAvailability(address, onAvailability);
    return worker;
  }

  /** Finishes the present jobs, and takes no more. */
  async close(): Promise<void> {
    this.#stopTelling();
    await this.#worker.close();
    await this.#pool.close();
  }

  async #run(queued: QueueJob): Promise<QueueResult> {
    const { onJob } = this.#options;
    onJob?.(queued.id, "begins");
    try {
      const job = toJob(queued, this.#options.store);
      const history = await this.#historyOf(queued, job);
      const result = await this.#pool.playOne(history, job).catch((error: unknown) => {
        throw error instanceof ChangedInput ? new WorkerMismatch(error) : error;
      });
      onJob?.(queued.id, "done");
      return result;
    } catch (error) {
      onJob?.(queued.id, "failed");
      if (error instanceof WorkerMismatch) {
        this.#refuse(error.why);
        // This worker takes no more jobs; another worker runs this one.
        void this.#worker.pause(true);
        throw error.why;
      }
      throw new this.#UnrecoverableError(encodeFailure(error));
    }
  }

  /** @throws WorkerMismatch where this machine would compute another result */
  async #historyOf(queued: QueueJob, { config }: Job): Promise<SharedHistory> {
    const { version, store } = this.#options;
    if (queued.version !== version) {
      throw new WorkerMismatch(
        new ConfigError("differs from the version that runs the sweep", {
          field: "worker",
          value: version,
          expected: queued.version,
        }),
      );
    }
    const key = JSON.stringify([
      historyKey(restrictToWindow(config, queued.window)),
      queued.history,
    ]);
    const known = this.#histories.get(key);
    if (known !== undefined) return known;
    const opening = this.#open(queued, config, store);
    this.#histories.set(key, opening);
    for (const old of [...this.#histories.keys()].slice(0, -MAX_HISTORIES))
      this.#histories.delete(old);
    opening.catch(() => this.#histories.delete(key));
    return opening;
  }

  async #open(queued: QueueJob, config: Job["config"], store: string): Promise<SharedHistory> {
    const opened = await openHistory(restrictToWindow(config, queued.window)).catch(
      (cause: unknown) => {
        if (cause instanceof ConfigError) throw new WorkerMismatch(cause);
        throw cause;
      },
    );
    const own = historyLines(opened);
    const at = queued.history.findIndex((line, index) => line !== own[index]);
    if (at >= 0 || own.length !== queued.history.length) {
      const place = at < 0 ? queued.history.length : at;
      throw new WorkerMismatch(
        new ConfigError("differs from the history that the sweep uses", {
          field: store,
          value: own[place] ?? "nothing",
          expected: queued.history[place] ?? "no more",
        }),
      );
    }
    return openShared(config, queued.window);
  }
}

/** This machine would compute another result than the sweep expects. */
class WorkerMismatch extends Error {
  readonly why: ConfigError;

  constructor(why: ConfigError) {
    super(why.message);
    this.why = why;
  }
}
