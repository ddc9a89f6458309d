import { Worker } from "node:worker_threads";
import { RunError } from "../../core/errors.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import type { ReportPaths } from "../report/report-writer.js";
import { sharedMarket } from "./opening/shared-history.js";
import type { FromPath, PathStart, ToPath } from "./path-messages.js";
import type { Path, PathRun, RunPathOptions } from "./path-run.js";
import type { PlayedHistory } from "./played-history.js";
import { deserialiseError } from "./serialised-error.js";

/** The program of a thread that plays a path: beside this module, in a build. */
export const PATH_THREAD = new URL("./path-thread.js", import.meta.url);

/**
 * A path through candles that is played in a thread of its own, which loads the strategies again
 * from the bot's file.
 */
export class ThreadedPath {
  readonly #worker: Worker;
  readonly #path: Path;
  readonly #ended: Promise<void>;
  readonly #played: Promise<Extract<FromPath, { kind: "played" }>>;
  #finished: ((paths: ReportPaths) => void) | undefined;
  #failed: (error: Error) => void = () => {};
  #atUs: number;
  #onProgress: (atUs: number) => void = () => {};

  /** @param history of candles. */
  constructor(
    program: URL,
    config: BacktestConfig,
    run: RunPathOptions,
    history: PlayedHistory,
    path: Path,
  ) {
    const { strategyFiles, version, directory, replace } = run;
    // A replay of candles has no reference prices.
    const { references: _, ...candles } = history;
    const start: PathStart = {
      config,
      run: { version, directory, replace, strategyFiles },
      history: { ...candles, markets: history.markets.map((market) => sharedMarket(market)) },
      path,
    };
    this.#path = path;
    this.#atUs = history.startUs;
    this.#worker = new Worker(program, { workerData: start });
    this.#ended = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
    this.#played = new Promise((resolve, reject) => {
      this.#failed = reject;
      this.#worker.on("message", (message: FromPath) => {
        if (message.kind === "played") resolve(message);
        else this.#hear(message);
      });
    });
    // The rejection is reported to the caller of `played`: until then the other path is played.
    this.#played.catch(() => {});
    this.#worker.on("error", (cause) =>
      this.#failed(new RunError(`the thread of a path failed: ${cause.message}`, { cause })),
    );
    this.#worker.on("exit", (code) =>
      this.#failed(new RunError(`the thread of a path ended unexpectedly with exit code ${code}`)),
    );
  }

  /**
   * Waits until it is played.
   * @param onProgress called with progress, at once and periodically; return false to stop it.
   * @throws the error that ended it, with the type that it had in the thread
   */
  async played(onProgress: (atUs: number) => boolean = () => true): Promise<PathRun> {
    let isInterrupted = false;
    this.#onProgress = (atUs) => {
      if (isInterrupted || onProgress(atUs)) return;
      isInterrupted = true;
      this.#tell({ kind: "stop" });
    };
    this.#onProgress(this.#atUs);
    const { outcome, headline } = await this.#played;
    return {
      // However far the thread was when it received the interrupt, an interrupted run must not look
      // complete.
      outcome: isInterrupted
        ? { ...outcome, ended: "stopped", reason: "the run was interrupted" }
        : outcome,
      path: this.#path,
      headline: () => headline,
      finish: async (outcome) => {
        const paths = await new Promise<ReportPaths>((resolve, reject) => {
          this.#finished = resolve;
          this.#failed = reject;
          this.#tell({ kind: "finish", outcome });
        });
        await this.#ended;
        return paths;
      },
      abandon: () => this.abandon(),
    };
  }

  /** Stops it, and leaves nothing of it but a report that is in place. */
  async abandon(): Promise<void> {
    this.#tell({ kind: "abandon" });
    await this.#ended;
  }

  #hear(message: Exclude<FromPath, { kind: "played" }>): void {
    if (message.kind === "progress") {
      this.#atUs = message.atUs;
      this.#onProgress(message.atUs);
    } else if (message.kind === "finished") this.#finished?.(message.paths);
    else this.#failed(deserialiseError(message.error));
  }

  #tell(message: ToPath): void {
    this.#worker.postMessage(message);
  }
}
