import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadBacktestConfig } from "#backtest/backtest-config.js";
import type { Report } from "#backtest/report-schema.js";
import { runBacktest } from "#backtest/run-backtest.js";
import { bindStrategies, loadStrategies } from "#bot/market-strategies.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";
import { openLog } from "#monitoring/log.js";
import { type Capture, captureFiles } from "./captures.js";
import { orderBase, positionBase, SETTINGS, type StrategySetting } from "./strategy-settings.js";

/** Result of one strategy on one capture. */
export interface StrategyResult {
  readonly capture: Capture;
  readonly setting: StrategySetting;
  /** Absent if the capture lacks the reference price that the strategy needs. */
  readonly report?: Report;
}

/** The strategy's name in the tables. */
export function labelOf({ setting }: StrategyResult): string {
  return setting.label ?? setting.strategy;
}

const MARKET = "market";
const DECIDE = { everyMs: 1000, onTouchChange: true, onFill: true };

/**
 * Imports a capture into a store below `folder`, and runs every strategy on it.
 * @param folder an empty folder, which keeps the store and the reports
 */
export async function tryStrategies(
  capture: Capture,
  folder: string,
  settings: readonly StrategySetting[] = SETTINGS,
): Promise<readonly StrategyResult[]> {
  const store = join(folder, "history");
  await importFiles(new HistoryStore(store), {
    market: MARKET,
    files: captureFiles(capture),
    interval: capture.interval,
    clock: { partsAt: capture.clockPartsAt ?? [], baseLatencyNs: 1_000_000n },
    replace: false,
  });
  const results: StrategyResult[] = [];
  for (const [at, setting] of settings.entries()) {
    const isPossible = setting.needsReference !== true || capture.hasIndex === true;
    results.push(
      isPossible
        ? { capture, setting, report: await reportOf(capture, setting, folder, `run-${at}`) }
        : { capture, setting },
    );
  }
  return results;
}

async function reportOf(
  capture: Capture,
  setting: StrategySetting,
  folder: string,
  name: string,
): Promise<Report> {
  writeFileSync(join(folder, `${name}-bot.yaml`), JSON.stringify(botOf(capture, setting)));
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, JSON.stringify(backtestOf(capture, `${name}-bot.yaml`)));
  const config = loadBacktestConfig(file, {});
  const log = openLog({ level: "silent", clock: createLiveRuntime().clock });
  const strategies = bindStrategies(config.bot, await loadStrategies(config.bot, log));
  const { report } = await runBacktest(config, {
    strategies,
    directory: join(folder, `${name}-report`),
    replace: false,
    version: "0.0.0",
  });
  return report;
}

function botOf(capture: Capture, setting: StrategySetting): unknown {
  const isAroundReference = setting.needsReference === true;
  return {
    exchange: { rest: "http://exchange.invalid/v1", stream: "ws://exchange.invalid/v1" },
    account: { keyEnv: "MARKETWRIGHT_KEY" },
    quotes: { timeInForce: "POST_ONLY" },
    decide: DECIDE,
    ...(isAroundReference ? { references: { index: { index: MARKET } } } : {}),
    markets: {
      [MARKET]: {
        strategy: setting.strategy,
        params: setting.params(capture),
        limits: { maxPositionBase: positionBase(capture), maxOrderBase: orderBase(capture) },
        ...(isAroundReference
          ? { reference: { from: ["index"], basis: { halfLifeMs: 60_000, maxBasisBps: 20 } } }
          : {}),
      },
    },
    risk: { maxDrawdownQuote: 100_000 },
  };
}

function backtestOf({ from, to, ...capture }: Capture, bot: string): unknown {
  const { tickSizeQuote, stepSizeBase } = capture;
  return {
    history: {
      market: MARKET,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    },
    bot,
    rules: {
      markets: { [MARKET]: { tickSizeQuote, stepSizeBase, makerFeeRate: 0, takerFeeRate: 0 } },
    },
    account: { creditQuote: 100_000 },
    fills: { queue: "risk-averse", orderLatencyMs: 40, responseLatencyMs: 40 },
  };
}
