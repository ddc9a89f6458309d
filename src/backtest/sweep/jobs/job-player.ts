import { Decimal } from "decimal.js";
import type { BotEvent } from "../../../bot/engine/bot-event.js";
import {
  bindStrategies,
  loadStrategies,
  strategyFiles,
} from "../../../bot/run/market-strategies.js";
import { logStrategyFailure } from "../../../bot/strategy/log-strategy-failure.js";
import { ConfigError } from "../../../core/errors.js";
import { hashFile } from "../../../history/file-hash.js";
import type { Log } from "../../../monitoring/log.js";
import type { BacktestConfig } from "../../config/backtest-config.js";
import type { Report } from "../../report/report-schema.js";
import { ChangedInput } from "../../run/opening/changed-input.js";
import { type PlayPathOptions, playReport } from "../../run/play-path.js";
import type { PlayedHistory } from "../../run/played-history.js";
import { extractFigures, type Figures } from "../results/figures.js";
import {
  type InputChecksums,
  requireInputs,
  strategiesKey,
  strategyChecksums,
} from "./input-files.js";

/** One point on one window. */
export interface Job {
  /** Unique name among all jobs of its sweep: `train3-17`. */
  readonly id: string;
  readonly config: BacktestConfig;
  /** The files that the run reads beside its history, as they were when the sweep began. */
  readonly inputs: InputChecksums;
}

/** The result of a job. */
export interface JobResult {
  readonly figures: Figures;
  /** `refused`: it was not run, since the market would not accept its configuration. */
  readonly ended: Report["ended"] | "refused";
  /** Reason of a refusal. */
  readonly reason?: string;
  /** The market and the reason where the strategy failed, along either path through candles. */
  readonly strategyError?: string;
  /**
   * Reasons why the run is unusable, then warnings that make its figures less reliable, as in its
   * report.
   */
  readonly doubts: readonly string[];
}

/**
 * Runs jobs in one process or thread. Strategies are loaded once: later changes of their files have
 * no effect.
 */
export class JobPlayer {
  readonly #log: Log;
  readonly #version: string;
  readonly #onProgress: () => boolean;
  /** Stacks of failed strategies that are already in the log. */
  readonly #loggedStacks = new Set<string>();
  readonly #loaded = new Map<string, ReturnType<typeof loadStrategies>>();

  /**
   * @param version of this package.
   * @param onProgress called with a replay's progress: an error that it throws ends a job.
   */
  constructor(log: Log, version: string, onProgress: () => boolean = () => true) {
    this.#log = log;
    this.#version = version;
    this.#onProgress = onProgress;
  }

  /**
   * Replays the history with the job's configuration. Candles are played along both paths where the
   * file wants the worse one, and the worse result is returned.
   * @throws ChangedInput where a file is not the job's; ConfigError, RunError
   */
  async play({ id, config, inputs }: Job, history: PlayedHistory): Promise<JobResult> {
    const { latencyFile } = config.fills;
    // A missing file is not the job's file either.
    if (latencyFile !== undefined)
      requireInputs(inputs, { [latencyFile]: await hashFile(latencyFile).catch(() => "none") });
    const strategies = bindStrategies(config.bot, await this.#strategies(config, inputs));
    const onNotice = (notice: BotEvent): void => this.#tellFailed(id, notice);
    const run: PlayPathOptions = {
      strategies,
      version: this.#version,
      onProgress: this.#onProgress,
      onBotEvent: onNotice,
    };
    const { path } = config.fills;
    if (history.grade !== "klines" || path !== "worse")
      return resultOf([await playReport(config, run, history, path === "worse" ? "ohlc" : path)]);
    const [high, low] = [
      await playReport(config, run, history, "ohlc"),
      await playReport(config, run, history, "olhc"),
    ];
    return resultOf(
      new Decimal(high.profit.total).lte(low.profit.total) ? [high, low] : [low, high],
    );
  }

  /** Once for each failing line of a strategy: all points may fail alike. */
  #tellFailed(job: string, notice: BotEvent): void {
    if (notice.kind !== "strategy-failed" || this.#loggedStacks.has(notice.stack ?? notice.why))
      return;
    this.#loggedStacks.add(notice.stack ?? notice.why);
    logStrategyFailure(this.#log, notice, { job });
  }

  #strategies(config: BacktestConfig, inputs: InputChecksums): ReturnType<typeof loadStrategies> {
    const key = strategiesKey(config, inputs);
    const known = this.#loaded.get(key) ?? this.#load(config.bot, inputs);
    this.#loaded.set(key, known);
    known.catch(() => this.#loaded.delete(key));
    return known;
  }

  async #load(
    bot: BacktestConfig["bot"],
    inputs: InputChecksums,
  ): ReturnType<typeof loadStrategies> {
    const loaded = await loadStrategies(bot, this.#log).catch((cause: unknown) => {
      // The sweep itself could load the job's strategy.
      throw cause instanceof ConfigError
        ? new ChangedInput(`the strategy differs from the sweep's: ${cause.message}`, { cause })
        : cause;
    });
    requireInputs(inputs, strategyChecksums(strategyFiles(loaded)));
    return loaded;
  }
}

/** @param reports the one that counts first */
function resultOf(reports: readonly [Report, ...Report[]]): JobResult {
  const [report] = reports;
  const [error] = reports.flatMap(({ strategyErrors }) => strategyErrors);
  return {
    figures: extractFigures(report),
    ended: report.ended,
    ...(error === undefined ? {} : { strategyError: `${error.marketId}: ${error.why}` }),
    doubts: [...report.worthless, ...report.doubts],
  };
}
