import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { map } from "rxjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { loadBacktestConfig } from "#backtest/backtest-config.js";
import type { Report } from "#backtest/report-schema.js";
import { runBacktest } from "#backtest/run-backtest.js";
import { HistoryStore } from "#history/history-store.js";
import { defineStrategy } from "#strategies/strategy.js";
import { take } from "../../history/scratch.js";

const MARKET = "pepe";
const FROM_MS = Date.UTC(2026, 0, 5);

const OTHER = "btc";

/** Buys an amount once, and holds it. */
const holding = (marketId: string, ticks: number, lots: number) =>
  defineStrategy({
    params: z.object({}),
    create: () => (view$) =>
      view$.pipe(
        map((view) => ({
          kind: "quotes" as const,
          marketId,
          viewSequence: view.sequence,
          quotes: view.positionLots === 0 ? [{ side: "BUY" as const, level: 0, ticks, lots }] : [],
          reason: { fairTicks: 1, reservationTicks: 1, halfSpreadTicks: 1, terms: {}, clamps: [] },
        })),
      ),
  }).bind({});
/** A million at 1190 ticks; a third of a bitcoin at 59,500. */
const STRATEGIES = new Map([
  [MARKET, holding(MARKET, 1190, 1_000_000)],
  [OTHER, holding(OTHER, 595_000, 333)],
]);

describe("a backtest of a market whose price is some hundred-thousandths", () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "small-prices-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /**
   * The market's price falls from 1200 ticks of 10^-decimals to 1152, and that of a bitcoin from
   * 60,000.1 to 57,600.1.
   */
  async function ran(name: string, decimals: number, markets: readonly string[]): Promise<Report> {
    const flat = [1200, 1200, 1200, 1200];
    const bars = [
      flat,
      flat,
      flat,
      [1200, 1200, 1180, 1180],
      [1180, 1180, 1152, 1152],
      [1152, 1152, 1152, 1152],
    ];
    const path = join(folder, "candles.csv");
    for (const marketId of markets) {
      const price = (ticks: number): string =>
        marketId === MARKET ? (ticks / 10 ** decimals).toFixed(decimals) : `${50 * ticks}.1`;
      const rows = bars.map((bar, at) => [FROM_MS + at * 60_000, ...bar.map(price), 1e9].join());
      writeFileSync(path, `time,open,high,low,close,volume\n${rows.join("\n")}\n`);
      await take(new HistoryStore(join(folder, name)), [path], { market: marketId });
    }
    const limits = "limits: { maxPositionBase: 2000000, maxOrderBase: 1000000 }";
    const ladder = `strategy: ladder, params: { halfSpreadBps: 2, sizeBase: 1000 }, ${limits}`;
    writeFileSync(
      join(folder, "bot.yaml"),
      `exchange: { rest: http://exchange.test/v1, stream: ws://exchange.test/v1 }
account: { keyEnv: KEY }
quotes: { timeInForce: POST_ONLY }
markets: { ${markets.map((marketId) => `${marketId}: { ${ladder} }`).join(", ")} }
risk: { maxDrawdownQuote: 5000 }
`,
    );
    const grids: Readonly<Record<string, string>> = {
      [MARKET]: `tickSizeQuote: ${(1 / 10 ** decimals).toFixed(decimals)}, stepSizeBase: 1`,
      [OTHER]: "tickSizeQuote: 0.1, stepSizeBase: 0.001",
    };
    const config = join(folder, "bt.yaml");
    writeFileSync(
      config,
      `history: { store: ${name}, markets: { ${markets.map((marketId) => `${marketId}: ${marketId}`).join(", ")} } }
bot: bot.yaml
rules: { markets: { ${markets.map((marketId) => `${marketId}: { ${grids[marketId]}, makerFeeRate: 0, takerFeeRate: 0 }`).join(", ")} } }
account: { creditQuote: 100000 }
`,
    );
    const { report } = await runBacktest(loadBacktestConfig(config, {}), {
      strategies: new Map([...STRATEGIES].filter(([marketId]) => markets.includes(marketId))),
      version: "0.0.0",
      directory: join(folder, "report"),
      replace: true,
    });
    return report;
  }

  // A mark of 0.00001152 was rounded to 0.000012, as the exchange's contracts would: a loss of 0.38
  // was reported as a profit of 0.1.
  it("values a position at the market's price, to the tick", async () => {
    const report = await ran("alone", 8, [MARKET]);
    expect(report.fills.all).toMatchObject({ fills: 1, turnover: "11.9" });
    expect(report.profit).toMatchObject({ basis: "0", total: "-0.38" });
    expect(report.drawdown.max).toBe("0.38");
  });

  // At this scale a mark of 60,000 has more digits than a float: it differed from its mid by some
  // trillionths, and the profit had as many wrong digits.
  it("values a bitcoin beside it to the last digit", async () => {
    const report = await ran("both", 12, [MARKET, OTHER]);
    expect(report.profit).toMatchObject({ basis: "0", total: "-632.666738" });
    expect(report.markets.map(({ profit }) => profit.total)).toEqual(["-0.000038", "-632.6667"]);
  });
});
