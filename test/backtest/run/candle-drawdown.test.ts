import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { map } from "rxjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";
import { loadBacktestConfig } from "#backtest/backtest-config.js";
import { runBacktest } from "#backtest/run-backtest.js";
import { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";
import { defineStrategy } from "#strategies/strategy.js";

const MARKET = "btcusdc";
const FROM_MS = Date.UTC(2026, 0, 5);
const QUARTER_MS = 900_000;

/** Buys 0.1 at 59,900 once, and holds it. */
const holding = defineStrategy({
  params: z.object({}),
  create: () => (view$) =>
    view$.pipe(
      map((view) => ({
        kind: "quotes" as const,
        marketId: MARKET,
        viewSequence: view.sequence,
        quotes:
          view.positionLots === 0
            ? [{ side: "BUY" as const, level: 0, ticks: 599_000, lots: 100 }]
            : [],
        reason: { fairTicks: 1, reservationTicks: 1, halfSpreadTicks: 1, terms: {}, clamps: [] },
      })),
    ),
});

describe("the drawdown of a run on candles", () => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "candle-drawdown-"));
    const flat = [60_000, 60_050, 59_950, 60_000];
    const bars = [
      flat,
      flat,
      flat,
      [60_000, 60_050, 59_850, 59_900],
      flat,
      [60_000, 60_050, 55_000, 60_000],
      flat,
      flat,
    ];
    const lines = bars.map(([open, high, low, close], at) =>
      JSON.stringify({
        time: FROM_MS + at * QUARTER_MS,
        ...{
          open: `${open}.0`,
          high: `${high}.0`,
          low: `${low}.0`,
          close: `${close}.0`,
          volume: "50.000",
        },
      }),
    );
    mkdirSync(join(folder, "made"));
    const path = join(folder, "made", `${MARKET}-klines_15M.ndjson`);
    writeFileSync(path, `${lines.join("\n")}\n`);
    const clock = { partsAt: [], baseLatencyNs: 0n };
    await importFiles(new HistoryStore(join(folder, "history")), {
      market: MARKET,
      files: [path],
      clock,
      replace: false,
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  // A short through a crash and back showed a drawdown of 5,134; by the marks that judge its
  // liquidation it was 11,847.
  it("knows the worst of each candle, by the marks that judge a liquidation, and not its close alone", async () => {
    const bot = {
      exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" },
      account: { keyEnv: "MARKETWRIGHT_NO_KEY" },
      quotes: { timeInForce: "POST_ONLY" },
      markets: { [MARKET]: { strategy: "ladder", params: { halfSpreadBps: 2, sizeBase: 0.01 } } },
      risk: { maxDrawdownQuote: 5000 },
    };
    const rules = { tickSizeQuote: 0.1, stepSizeBase: 0.001, makerFeeRate: 0, takerFeeRate: 0 };
    const backtest = {
      history: { store: "history", market: MARKET },
      bot: "bot.yaml",
      rules: { markets: { [MARKET]: rules } },
    };
    writeFileSync(join(folder, "bot.yaml"), stringify(bot));
    writeFileSync(
      join(folder, "bt.yaml"),
      stringify({ ...backtest, account: { creditQuote: 100_000 } }),
    );
    const config = loadBacktestConfig(join(folder, "bt.yaml"), {});
    const strategies = new Map([[MARKET, holding.bind({})]]);
    const { report } = await runBacktest(config, {
      strategies,
      version: "0.0.0",
      directory: join(folder, "report"),
      replace: false,
    });
    expect(report.fills.all.fills).toBe(1);
    expect(report.profit.total).toBe("10");
    // 0.1 at 60,050 and then at 55,000, in whichever order the reported path has them: from the top
    // before, 5,050 a coin.
    expect(report.drawdown).toMatchObject({ max: "505", sampleMs: QUARTER_MS / 3 });
  });
});
