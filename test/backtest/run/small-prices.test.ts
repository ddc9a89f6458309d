import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { map } from "rxjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { loadBacktestConfig } from "../../../src/backtest/config/backtest-config.js";
import { runBacktest } from "../../../src/backtest/run/run-backtest.js";
import { HistoryStore } from "../../../src/history/store.js";
import { defineStrategy } from "../../../src/strategies/strategy.js";
import { take } from "../../history/scratch.js";

const MARKET = "pepe";
const FROM_MS = Date.UTC(2026, 0, 5);

/** Buys a million at 0.0000119 once, and holds it. */
const holding = defineStrategy({
  params: z.object({}),
  create: () => (view$) =>
    view$.pipe(
      map((view) => ({
        kind: "quotes" as const,
        marketId: MARKET,
        viewSequence: view.sequence,
        quotes: view.positionLots === 0 ? [{ side: "BUY" as const, level: 0, ticks: 1190, lots: 1_000_000 }] : [],
        reason: { fairTicks: 1, reservationTicks: 1, halfSpreadTicks: 1, terms: {}, clamps: [] },
      })),
    ),
});

describe("a backtest of a market whose price is some hundred-thousandths", () => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "small-prices-"));
    const flat = [1200, 1200, 1200, 1200];
    const bars = [flat, flat, flat, [1200, 1200, 1180, 1180], [1180, 1180, 1152, 1152], [1152, 1152, 1152, 1152]];
    const rows = bars.map((bar, at) => [FROM_MS + at * 60_000, ...bar.map((ticks) => (ticks / 1e8).toFixed(8)), 1e9].join());
    const path = join(folder, "candles.csv");
    writeFileSync(path, `time,open,high,low,close,volume\n${rows.join("\n")}\n`);
    await take(new HistoryStore(join(folder, "history")), [path], { market: MARKET });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  // A mark of 0.00001152 was rounded to 0.000012, as the exchange's contracts would: a loss of 0.38 was told as a profit of 0.1.
  it("values what is held at the market's price, to the tick", async () => {
    writeFileSync(
      join(folder, "bot.yaml"),
      `exchange: { rest: http://exchange.test/v1, stream: ws://exchange.test/v1 }
account: { keyEnv: KEY }
quotes: { timeInForce: POST_ONLY }
markets: { ${MARKET}: { strategy: ladder, params: { halfSpreadBps: 2, sizeBase: 1000 }, limits: { maxPositionBase: 2000000, maxOrderBase: 1000000 } } }
risk: { maxDrawdownQuote: 5000 }
`,
    );
    const path = join(folder, "bt.yaml");
    writeFileSync(
      path,
      `history: { store: history, market: ${MARKET} }
bot: bot.yaml
rules: { markets: { ${MARKET}: { tickSizeQuote: 0.00000001, stepSizeBase: 1, makerFeeRate: 0, takerFeeRate: 0 } } }
account: { creditQuote: 1000 }
`,
    );
    const { report } = await runBacktest(loadBacktestConfig(path, {}), {
      strategies: new Map([[MARKET, holding.bind({})]]),
      version: "0.0.0",
      directory: join(folder, "report"),
      replace: false,
    });
    expect(report.fills.all).toMatchObject({ fills: 1, turnover: "11.9" });
    expect(report.profit).toMatchObject({ basis: "0", total: "-0.38" });
    expect(report.drawdown.max).toBe("0.38");
  });
});
