import { Worker } from "node:worker_threads";
import { describeThrown } from "../../core/describe-thrown.js";
import type { Day } from "../../history/day.js";

const THREAD = new URL("./seal-thread.js", import.meta.url);
/** The thread's memory is its own: it ends there, and not the bot. */
const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 } as const;

/** Input of the thread. */
export interface SealStart {
  readonly folder: string;
  readonly today: Day;
}

/** Answer of the thread: the days that it turned, or why it could not. */
export type SealResult =
  | { readonly days: readonly Day[] }
  | { readonly why: string; readonly isMissing: boolean };

/**
 * Turns the lines of past days into Parquet files in a thread of its own, so that neither loading
 * DuckDB nor its work holds up the bot. One thread at a time.
 */
export class DaySealer {
  readonly #folder: string;
  readonly #onResult: (result: SealResult) => void;
  #worker: Worker | undefined;
  #next: Day | undefined;

  /** @param onResult called when a thread has ended */
  constructor(folder: string, onResult: (result: SealResult) => void) {
    this.#folder = folder;
    this.#onResult = onResult;
  }

  /** Turns all days before `today`. */
  seal(today: Day): void {
    if (this.#worker !== undefined) {
      this.#next = today;
      return;
    }
    const workerData: SealStart = { folder: this.#folder, today };
    // No variable of this process: a thread that reads files has no use for a key.
    const worker = new Worker(THREAD, { workerData, env: {}, resourceLimits: MEMORY });
    worker.unref();
    this.#worker = worker;
    worker.on("message", this.#onResult);
    worker.on("error", (error) => this.#onResult({ why: describeThrown(error), isMissing: false }));
    worker.once("exit", () => {
      this.#worker = undefined;
      const next = this.#next;
      this.#next = undefined;
      if (next !== undefined) this.seal(next);
    });
  }

  /** Ends the thread: what it has not finished, the next start turns. */
  async stop(): Promise<void> {
    this.#next = undefined;
    await this.#worker?.terminate();
  }
}
