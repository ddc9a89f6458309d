import type { BotConfig } from "../../bot/config/config.js";
import { bindStrategies, loadStrategies } from "../../bot/run/market-strategies.js";
import type { Ms } from "../../core/units.js";
import { silentLog } from "../../monitoring/log.js";
import type { RehearsalMarket } from "../market/rehearsal-market.js";
import type { RehearsedRun } from "../rehearsal-result.js";
import type { RehearsedFault } from "../rehearsed-fault.js";
import { RehearsalWorld } from "../world/rehearsal-world.js";

/** The part of a rehearsal that all of its runs share. Plain data. */
export interface SharedRunOptions {
  readonly bot: BotConfig;
  readonly market: RehearsalMarket;
  readonly marketMs: Ms;
  readonly runsGuard: boolean;
  readonly withTimeline: boolean;
}

/** One run among them. */
export interface RunJob {
  readonly seed: number;
  readonly fault: RehearsedFault;
}

/** Plays runs one after another, with strategies that are loaded once. */
export class RunPlayer {
  readonly #shared: SharedRunOptions;
  readonly #loaded: ReturnType<typeof loadStrategies>;

  constructor(shared: SharedRunOptions) {
    this.#shared = shared;
    this.#loaded = loadStrategies(shared.bot, silentLog);
    // Each run reports it.
    this.#loaded.catch(() => {});
  }

  /** @throws ConfigError for a strategy that cannot be loaded, or parameters that it refuses */
  async play(job: RunJob): Promise<RehearsedRun> {
    return (await this.#world(job)).run();
  }

  /** Equity of the account before anything has happened. @throws as {@link play} does */
  async startEquity(job: RunJob): Promise<bigint> {
    return (await this.#world(job)).startEquity();
  }

  async #world(job: RunJob): Promise<RehearsalWorld> {
    const strategies = bindStrategies(this.#shared.bot, await this.#loaded);
    return new RehearsalWorld({ ...this.#shared, ...job, strategies });
  }
}
