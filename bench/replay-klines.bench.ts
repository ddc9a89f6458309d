import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { type BacktestConfig, loadBacktestConfig } from "#backtest/backtest-config.js";
import { openHistory } from "#backtest/open-history.js";
import { type BacktestResult, runBacktest } from "#backtest/run-backtest.js";
import { PATH_THREAD } from "#backtest/threaded-path.js";
import type { KlineTape } from "#history/tape.js";
import { builtInStrategies } from "#strategies/built-in.js";
import type { Strategy } from "#strategies/strategy.js";
import { generateCandles } from "../test/support/generated-candles.js";
import type { Bench } from "./bench.js";
import { effort } from "./effort.js";
import { interleaved, ratePerSecond } from "./rounds.js";

const ROUNDS = effort(3, 1);
const SCAN_MS = effort(500, 1);
const BARS = effort(365 * 96, 96);
const FROM_MS = Date.UTC(2025, 0, 1);
const MARKET = "btcusdc";
const PARAMS = { riskAversion: 0.05, horizonMs: 3_600_000, sizeBase: 0.01 };

/**
 * A year of seeded candles through the whole backtest of the command: store, both paths, report on
 * disk.
 */
export const bench: Bench = {
  about:
    "15-minute candles of a year through a whole backtest: both paths, a strategy asked at every close, the report written",
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "marketwright-replay-klines-"));
    try {
      await generateCandles(folder, { market: MARKET, fromMs: FROM_MS, bars: BARS });
      const config = configIn(folder);
      const columns = (await openHistory(config)).markets[0]?.klines as KlineTape;
      let result: BacktestResult | undefined;
      let [seconds, processorSeconds] = [0, 0];
      const measured = await interleaved({
        rounds: ROUNDS,
        ours: async () => {
          const [start, before] = [performance.now(), process.cpuUsage()];
          result = await backtested(config, folder);
          const { user, system } = process.cpuUsage(before);
          [seconds, processorSeconds] = [(performance.now() - start) / 1000, (user + system) / 1e6];
          return columns.bars / seconds;
        },
        reference: () => ratePerSecond(() => scanBars(columns), columns.bars, SCAN_MS),
      });
      const { orders, fills, strategyErrors } = (result as BacktestResult).report;
      if (strategyErrors[0] !== undefined)
        throw new Error(
          `the bench's strategy failed, and its market was halted: ${strategyErrors[0].why}`,
        );
      return {
        ...measured,
        unit: "bars/s",
        referenceIs: "a scan of the same candles' columns",
        details: {
          bars: columns.bars,
          "orders a path": orders.placed,
          "fills a path": fills.all.fills,
          seconds,
          processorSeconds,
        },
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function configIn(folder: string): BacktestConfig {
  const bot = {
    exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" },
    account: { keyEnv: "KEY" },
    quotes: { timeInForce: "POST_ONLY" },
    decide: { everyMs: 60_000 },
    markets: {
      [MARKET]: {
        strategy: "avellaneda-stoikov",
        params: PARAMS,
        limits: { maxPositionBase: 0.1, maxOrderBase: 0.05 },
      },
    },
    risk: { maxDrawdownQuote: 1_000_000 },
  };
  const rules = {
    [MARKET]: {
      tickSizeQuote: 0.1,
      stepSizeBase: 0.001,
      makerFeeRate: 0.0001,
      takerFeeRate: 0.0005,
    },
  };
  const to = new Date(FROM_MS + BARS * 900_000).toISOString();
  const history = { store: "history", market: MARKET, from: new Date(FROM_MS).toISOString(), to };
  writeFileSync(join(folder, "bot.yaml"), stringify(bot));
  writeFileSync(
    join(folder, "backtest.yaml"),
    stringify({
      history,
      bot: "bot.yaml",
      rules: { markets: rules },
      account: { creditQuote: 1_000_000 },
    }),
  );
  return loadBacktestConfig(join(folder, "backtest.yaml"), {});
}

function backtested(config: BacktestConfig, folder: string): Promise<BacktestResult> {
  const strategy = (builtInStrategies["avellaneda-stoikov"] as Strategy).bind(PARAMS);
  return runBacktest(config, {
    strategies: new Map([[MARKET, strategy]]),
    version: "bench",
    directory: join(folder, "report"),
    replace: true,
    ...(availableParallelism() > 1 ? { pathThread: PATH_THREAD } : {}),
  });
}

/** Reads every stamp, price and amount once. */
function scanBars({
  bars,
  startUs,
  openTicks,
  highTicks,
  lowTicks,
  closeTicks,
  lots,
}: KlineTape): number {
  let sum = 0;
  for (let bar = 0; bar < bars; bar += 1) {
    sum += (startUs[bar] as number) + (lots[bar] as number);
    sum +=
      (openTicks[bar] as number) +
      (highTicks[bar] as number) +
      (lowTicks[bar] as number) +
      (closeTicks[bar] as number);
  }
  return sum;
}
