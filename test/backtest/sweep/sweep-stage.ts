import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { type Job, JobPlayer, type JobResult } from "#backtest/job-player.js";
import type { JobBatch, JobRunner } from "#backtest/job-runner.js";
import { type RunSweepOptions, runSweep } from "#backtest/run-sweep.js";
import { playedHistory } from "#backtest/shared-history.js";
import { loadSweepConfig } from "#backtest/sweep-config.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { openLog } from "#monitoring/log.js";
import { generateHistory } from "../../support/generated-history.js";

export const FROM_MS = Date.UTC(2026, 0, 5, 12);
const LOG = openLog({ level: "silent", clock: createLiveRuntime().clock });
export const VERSION = "0.0.0-test";

/** The bot of every sweep here. */
export const BOT = {
  exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" },
  account: { keyEnv: "MARKETWRIGHT_NO_KEY" },
  quotes: { timeInForce: "POST_ONLY" },
  decide: { everyMs: 500, onTouchChange: false },
  markets: {
    btcusdc: {
      strategy: "ladder",
      params: { levels: 1, sizeBase: 0.01, halfSpreadBps: 0.02 },
      limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 },
    },
  },
  risk: { maxDrawdownQuote: 5000 },
};
/** Quotes about the middle, at the distance that it imports. */
export const OWN_STRATEGY = `import { defineStrategy, quoteAround } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";
import { HALF_SPREAD_BPS } from "./distance.js";

export default defineStrategy({
  params: z.object({}),
  create: () => (view$) => view$.pipe(map((view) => quoteAround(view, view.microPrice, { halfSpreadBps: HALF_SPREAD_BPS, sizeBase: 0.01 }))),
});
`;
const RULES = {
  markets: {
    btcusdc: {
      tickSizeQuote: 0.1,
      stepSizeBase: 0.001,
      makerFeeRate: 0.0001,
      takerFeeRate: 0.0005,
    },
  },
};
const at = (seconds: number): string => new Date(FROM_MS + seconds * 1000).toISOString();

/** The length that most sweeps here replay. */
export const SHORT_SECONDS = 15;

/** The default sweep of these tests: six points. */
export const SWEEP = {
  backtest: "bt.yaml",
  parameters: {
    "markets.btcusdc.params.halfSpreadBps": { values: [0.01, 0.05, 0.1] },
    "fills.orderLatencyMs": { min: 5, max: 50, step: 45 },
  },
  method: "grid",
};

/** A folder with a generated market of a minute, and the files of a bot, a backtest and a sweep. */
export class SweepStage {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "marketwright-sweep-")));
  #outs = 0;

  /**
   * Fills the store.
   * @param seconds length of the market.
   */
  async open(seconds = 60, klines = false): Promise<this> {
    await generateHistory(this.folder, { market: "btcusdc", fromMs: FROM_MS, seconds, klines });
    this.write("bot.yaml", BOT);
    this.write("bt.yaml", this.backtest(Math.min(seconds, SHORT_SECONDS)));
    this.write("bt-whole.yaml", this.backtest(seconds));
    this.write("sweep.yaml", SWEEP);
    return this;
  }

  /** A backtest of the first seconds of it. */
  backtest(seconds: number, history: object = {}): object {
    return {
      history: { store: "history", market: "btcusdc", from: at(0), to: at(seconds), ...history },
      bot: "bot.yaml",
      rules: RULES,
    };
  }

  /** A file of the folder. @returns its path */
  write(name: string, value: object): string {
    const path = join(this.folder, name);
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(path, stringify(value));
    return path;
  }

  /** A sweep of one point, own.yaml, whose strategy is {@link OWN_STRATEGY}. */
  writeOwn(halfSpreadBps: number): void {
    writeFileSync(join(this.folder, "own.ts"), OWN_STRATEGY);
    this.writeDistance(halfSpreadBps);
    this.write("bot-own.yaml", {
      ...BOT,
      markets: { btcusdc: { strategy: "./own.ts", limits: BOT.markets.btcusdc.limits } },
    });
    this.write("bt-own.yaml", { ...this.backtest(SHORT_SECONDS), bot: "bot-own.yaml" });
    this.write("own.yaml", {
      ...SWEEP,
      backtest: "bt-own.yaml",
      parameters: { "fills.orderLatencyMs": { values: [5] } },
    });
  }

  /** Writes the file that the strategy imports. */
  writeDistance(halfSpreadBps: number, file = "distance.ts"): void {
    writeFileSync(join(this.folder, file), `export const HALF_SPREAD_BPS = ${halfSpreadBps};\n`);
  }

  /** A folder for results that does not exist yet. */
  out(): string {
    this.#outs += 1;
    return join(this.folder, `out${this.#outs}`);
  }

  /** Runs a sweep file. */
  run(
    directory: string,
    runner: JobRunner,
    { file = "sweep.yaml", ...over }: Partial<RunSweepOptions> & { readonly file?: string } = {},
  ) {
    const sweep = loadSweepConfig(join(this.folder, file), {});
    const signal = new AbortController().signal;
    return runSweep(sweep, {
      directory,
      replace: false,
      runner,
      version: VERSION,
      log: LOG,
      signal,
      ...over,
    });
  }
}

/** Runs jobs in this process, one after the other: from the first, or from the last. */
export class OneByOne implements JobRunner {
  /** Every job that ran, in order. */
  readonly ran: string[] = [];
  readonly #isBackwards: boolean;
  readonly #after: (ran: number) => void;

  constructor({
    backwards = false,
    after = () => {},
  }: { readonly backwards?: boolean; readonly after?: (ran: number) => void } = {}) {
    this.#isBackwards = backwards;
    this.#after = after;
  }

  async run(
    { jobs, open }: JobBatch,
    onResult: (job: Job, result: JobResult) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const player = new JobPlayer(LOG, VERSION);
    const history = playedHistory(await open());
    for (const job of this.#isBackwards ? [...jobs].reverse() : jobs) {
      if (signal.aborted) return;
      this.ran.push(job.id);
      onResult(job, await player.play(job, history));
      this.#after(this.ran.length);
    }
  }

  async close(): Promise<void> {}
}
