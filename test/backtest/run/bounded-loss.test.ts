import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { map } from "rxjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";
import { loadBacktestConfig } from "#backtest/backtest-config.js";
import { type BacktestResult, runBacktest } from "#backtest/run-backtest.js";
import { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";
import { defineStrategy } from "#strategies/strategy.js";

const MARKET = "btcusdc";
const FROM_MS = Date.UTC(2026, 0, 5);
const QUARTER_MS = 900_000;

/** Buys 0.1 once, and wants to hold it for ever. */
const holding = defineStrategy({
  params: z.object({}),
  create: () => {
    let hasBought = false;
    return (view$) =>
      view$.pipe(
        map((view) => {
          hasBought ||= view.positionLots !== 0;
          return {
            kind: "quotes" as const,
            marketId: MARKET,
            viewSequence: view.sequence,
            quotes: hasBought
              ? []
              : [{ side: "BUY" as const, level: 0, ticks: 599_000, lots: 100 }],
            reason: {
              fairTicks: 1,
              reservationTicks: 1,
              halfSpreadTicks: 1,
              terms: {},
              clamps: [],
            },
          };
        }),
      );
  },
});

/** Four hours of a constant market, and two days in which it falls by half. */
function falling(): readonly (readonly number[])[] {
  const bars: number[][] = Array.from({ length: 16 }, () => [60_000, 60_050, 59_850, 60_000]);
  for (let price = 60_000; price > 30_000; price -= 150)
    bars.push([price, price + 20, price - 170, price - 150]);
  return bars;
}

describe("a backtest whose loss would run on", () => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "bounded-loss-"));
    const lines = falling().map(([open, high, low, close], at) =>
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

  async function run(name: string, risk: Record<string, unknown>): Promise<BacktestResult> {
    const bot = {
      exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" },
      account: { keyEnv: "MARKETWRIGHT_NO_KEY" },
      quotes: { timeInForce: "POST_ONLY" },
      markets: {
        [MARKET]: {
          strategy: "ladder",
          params: { halfSpreadBps: 2, sizeBase: 0.01 },
          limits: { maxPositionBase: 0.2 },
        },
      },
      risk,
    };
    const rules = {
      tickSizeQuote: 0.1,
      stepSizeBase: 0.001,
      makerFeeRate: 0,
      takerFeeRate: 0.0005,
    };
    const backtest = {
      history: { store: "history", market: MARKET },
      bot: `${name}-bot.yaml`,
      rules: { markets: { [MARKET]: rules } },
    };
    writeFileSync(join(folder, `${name}-bot.yaml`), stringify(bot));
    writeFileSync(
      join(folder, `${name}.yaml`),
      stringify({ ...backtest, account: { creditQuote: 100_000 } }),
    );
    const config = loadBacktestConfig(join(folder, `${name}.yaml`), {});
    const strategies = new Map([[MARKET, holding.bind({})]]);
    return runBacktest(config, {
      strategies,
      version: "0.0.0",
      directory: join(folder, name),
      replace: false,
    });
  }

  it("reports for `halt` the position that stayed open, and its cost since", async () => {
    const { report, html } = await run("halt", { maxDrawdownQuote: 500 });
    expect(report.ended).toBe("halted");
    expect(Number(report.drawdown.max)).toBeGreaterThan(2_500);
    expect(report.reason).toMatch(
      /by drawdown: net value .* allowed 500; its positions stayed open, at the end 0\.1 base units of btcusdc: the net value has changed by -2\d{3}(\.\d+)? since the halt$/,
    );
    expect(report.rungs.first).toMatchObject([
      { measure: "drawdown", action: "halt", marketId: null },
    ]);
    expect(readFileSync(html, "utf8")).toContain(
      "its positions stayed open, at the end 0.1 base units of btcusdc",
    );
  });

  it("bounds the loss by `flatten`: the position is sold a slice a bar, no worse than the mark allows, and the rest of history costs nothing", async () => {
    const { report, html } = await run("flatten", {
      maxDrawdownQuote: 500,
      onDrawdown: "flatten",
      flatten: { slices: 2 },
    });
    expect(report.ended).toBe("halted");
    expect(Number(report.drawdown.max)).toBeGreaterThan(500);
    expect(Number(report.drawdown.max)).toBeLessThan(600);
    expect(report.markets[0]?.position.last).toBe("0");
    expect(report.reason).toMatch(/by drawdown: net value .* allowed 500$/);
    expect(report.fills.taker.fills).toBe(2);
    expect(report.rungs).toMatchObject({
      count: 1,
      first: [{ measure: "drawdown", action: "flatten" }],
    });
    expect(readFileSync(html, "utf8")).toContain("<h2>Risk ladder</h2>");
  });

  it("flattens for the loss of a day too, and trades on the next day", async () => {
    const { report } = await run("daily", {
      maxDrawdownQuote: 5_000,
      maxDailyLossQuote: 300,
      onDailyLoss: "flatten",
      flatten: { slices: 2 },
    });
    expect(report.ended).toBe("end-of-history");
    expect(report.rungs.first.map(({ measure, action }) => [measure, action])).toEqual([
      ["daily-loss", "flatten"],
      ["daily-loss", "none"],
    ]);
    expect(report.rungs.first[1]?.at).toMatch(/^2026-01-06T00:/);
    expect(Number(report.drawdown.max)).toBeLessThan(400);
  });

  it("trades the same, fill for fill, where no rung is reached", async () => {
    const plain = await run("plain", { maxDrawdownQuote: 50_000 });
    const watched = await run("watched", {
      maxDrawdownQuote: 50_000,
      onDrawdown: "flatten",
      maxDailyLossQuote: 40_000,
      ladder: {
        drawdown: [{ fromQuote: 30_000, action: "warn" }],
        inventory: [{ fromFraction: 0.9, action: "widen" }],
        markout: [{ fromBps: 5_000, action: "halt" }],
      },
    });
    expect(readFileSync(watched.fillsCsv, "utf8")).toBe(readFileSync(plain.fillsCsv, "utf8"));
    expect(plain.report.rungs.count).toBe(0);
    expect(watched.report.profit).toEqual(plain.report.profit);
  });
});
