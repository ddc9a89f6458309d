import { Decimal } from "decimal.js";
import { bindStrategies, loadStrategies } from "../../bot/run/market-strategies.js";
import type { Log } from "../../monitoring/log.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import type { Report } from "../report/report-schema.js";
import { type PlayedBy, reportOf } from "../run/play-path.js";
import type { PlayedHistory } from "../run/played-history.js";
import { type Figures, figuresOf } from "./figures.js";

/** One point on one window. */
export interface Job {
  /** `train3-17`: what it is called among all jobs of its sweep. */
  readonly id: string;
  readonly config: BacktestConfig;
}

/** What came of it. */
export interface JobResult {
  readonly figures: Figures;
  readonly ended: Report["ended"];
}

/** Runs jobs in one process or thread, their strategies loaded once. */
export class JobPlayer {
  readonly #log: Log;
  readonly #version: string;
  readonly #loaded = new Map<string, ReturnType<typeof loadStrategies>>();

  /** @param version of this package. */
  constructor(log: Log, version: string) {
    this.#log = log;
    this.#version = version;
  }

  /** Replays the history with the job's configuration. Candles: along both paths where the file asks for the worse, and the worse it is. @throws ConfigError, RunError */
  async play({ config }: Job, history: PlayedHistory): Promise<JobResult> {
    const strategies = bindStrategies(config.bot, await this.#strategies(config));
    const run: PlayedBy = { strategies, version: this.#version };
    const { path } = config.fills;
    if (history.grade !== "klines" || path !== "worse")
      return resultOf(await reportOf(config, run, history, path === "worse" ? "ohlc" : path));
    const [high, low] = [await reportOf(config, run, history, "ohlc"), await reportOf(config, run, history, "olhc")];
    return resultOf(new Decimal(high.profit.total).lte(low.profit.total) ? high : low);
  }

  #strategies({ bot }: BacktestConfig): ReturnType<typeof loadStrategies> {
    const key = JSON.stringify(Object.entries(bot.markets).map(([id, { strategy }]) => [id, strategy]));
    const known = this.#loaded.get(key) ?? loadStrategies(bot, this.#log);
    this.#loaded.set(key, known);
    return known;
  }
}

function resultOf(report: Report): JobResult {
  return { figures: figuresOf(report), ended: report.ended };
}
