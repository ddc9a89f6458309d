import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openHistory } from "#backtest/open-history.js";
import { playReport } from "#backtest/play-path.js";
import { runBacktest } from "#backtest/run-backtest.js";
import { builtInStrategies } from "#strategies/built-in.js";
import { backtest, FROM_MS, LadderHistory } from "./ladder-history.js";
import { LADDER, ladders, MARKET } from "./ladder-run.js";

const ladder = new LadderHistory();

describe("a backtest from its file", () => {
  it("replays books over midnight, and reports figures whose parts sum", async () => {
    const config = ladder.written(backtest());
    const result = await runBacktest(config, {
      ...ladders(),
      directory: join(ladder.folder, "out"),
      replace: false,
    });
    const { report, gaps } = result;
    expect(report.grade).toBe("books");
    expect(report.isIndicative).toBe(false);
    expect(report.fills.all.fills).toBeGreaterThan(10);
    expect(Date.parse(report.span.to)).toBeGreaterThan(FROM_MS + 149_000);
    expect(gaps.every((gap) => gap.startsWith(MARKET))).toBe(true);
    const { total, ...parts } = report.profit;
    const sum = Object.values(parts).reduce((all, part) => all + Math.round(Number(part) * 1e7), 0);
    expect(sum).toBe(Math.round(Number(total) * 1e7));
    expect(Math.round((Number(report.equity.end) - Number(report.equity.start)) * 1e7)).toBe(sum);
  });

  // Live, an order carries the agreed rates and pays them. A replay that charged the public ones
  // could show a rebate for a trader with a fee.
  it("charges the fees that the bot signs where they were agreed, and names them", async () => {
    const of = async (name: string, agreed: string) => {
      const config = ladder.written(
        backtest("fills: { queue: power-2 }", "from: 2026-01-05, to: 2026-01-06"),
        name,
        undefined,
        agreed,
      );
      const { report } = await runBacktest(config, {
        ...ladders(),
        directory: join(ladder.folder, name),
        replace: false,
      });
      const { turnover, fees } = report.fills.byCause.queue;
      expect(Number(turnover)).toBeGreaterThan(0);
      return {
        bps: (10_000 * Number(fees)) / Number(turnover),
        shown: report.models.find(({ name: model }) => model === `Fees in ${MARKET}`),
      };
    };
    const open = await of("open-rates", "");
    expect(open.bps).toBeCloseTo(1, 3);
    const agreed = await of("agreed-rates", ", makerFeeRate: 0.0004, takerFeeRate: 0.001");
    expect(agreed.bps).toBeCloseTo(4, 3);
    expect(agreed.shown?.value).toBe("maker 4 bps, taker 10 bps");
  });

  it("fills by no queue where none was recorded, and calls candles indicative with both paths told", async () => {
    const of = async (grade: string, more = "") => {
      const config = ladder.written(
        backtest(more, `from: 2026-01-05, to: 2026-01-07, grade: ${grade}`),
        grade,
      );
      return runBacktest(config, {
        ...ladders(),
        directory: join(ladder.folder, `out-${grade}`),
        replace: true,
      });
    };
    const [books, trades, klines] = [await of("books"), await of("trades"), await of("klines")];
    const byCause = (result: typeof books) => result.report.fills.byCause;
    expect(byCause(books).queue.fills).toBeGreaterThan(0);
    expect(byCause(trades).queue.fills).toBe(0);
    expect(klines.report.isIndicative).toBe(true);
    expect(klines.report.alternatives).toHaveLength(1);
    expect(Number(klines.report.profit.total)).toBeLessThanOrEqual(
      Number(klines.report.alternatives[0]?.profit),
    );
  });

  it("gives the same result with small tapes as with large ones, and when it is rerun", async () => {
    const config = ladder.written(backtest());
    const once = await playReport(config, ladders(), await openHistory(config), "ohlc");
    const again = await playReport(config, ladders(), await openHistory(config), "ohlc");
    expect(JSON.stringify(again)).toBe(JSON.stringify(once));
  });

  // Where a lot is a unit of a coin that costs a millionth, an ordinary level has billions of them.
  it("gives the same result in lots of a millionth of a millionth, which exceed 32 bits", async () => {
    // Sizes skewed by inventory are rounded down to lots.
    const strategies = new Map([
      [MARKET, builtInStrategies.ladder.bind({ ...LADDER, sizeBase: 0.001, sizeSkew: false })],
    ]);
    const of = async (step: string) => {
      const text = backtest("", "from: 2026-01-05, to: 2026-01-06").replace(
        "stepSizeBase: 0.001",
        `stepSizeBase: ${step}, maxAmountBase: 1`,
      );
      const config = ladder.written(text, "lots", "maxPositionBase: 0.01, maxOrderBase: 0.01");
      const history = await openHistory(config);
      const { fills, profit, orders, budgets, drawdown } = await playReport(
        config,
        { strategies, version: "0.0.0" },
        history,
        "ohlc",
      );
      return {
        report: { fills, profit, orders, budgets, drawdown },
        isWide: history.markets[0]?.tapes?.bound.isWide,
      };
    };
    const [wide, narrow] = [await of("0.000000000001"), await of("0.001")];
    expect([wide.isWide, narrow.isWide]).toEqual([true, false]);
    expect(wide.report.fills.all.fills).toBeGreaterThan(10);
    expect(wide.report).toEqual(narrow.report);
  });

  it.each([
    [
      "history: { from: 2026-01-05, to: 2026-01-06 }",
      /history: names no market.*expected either market/,
    ],
    [
      backtest("", "from: 2026-01-06, to: 2026-01-05"),
      /history\.to: is not later than history\.from/,
    ],
    [
      backtest("fills: { queue: hopeful }"),
      /fills\.queue.*is an unknown queue model.*risk-averse, log/,
    ],
    [backtest("fills: { orderLatencyMs: -3 }"), /fills\.orderLatencyMs/],
    [backtest("sampleMs: 7000"), /sampleMs.*does not divide a day/],
    [
      backtest().replace(MARKET, "ethusdc"),
      /history\.market: is not among the bot's markets.*markets: \{ btcusdc: ethusdc \}/,
    ],
    [
      backtest().replace(`market: ${MARKET}`, `markets: { ethusdc: ${MARKET} }`),
      /history\.markets\.ethusdc: is not among the bot's markets.*one of btcusdc/,
    ],
    [
      backtest().replace("tickSizeQuote: 0.1", "tickSizeQuote: 0"),
      /rules\.markets\.btcusdc\.tickSizeQuote/,
    ],
    [
      backtest().replace(/rules: .*/, "rules: { exchangeInfo: nowhere.json }"),
      /rules\.exchangeInfo.*cannot be read/,
    ],
    [backtest("wamrupMs: 3"), /wamrupMs.*unknown key.*warmupMs/],
  ])("refuses a file that cannot be meant so: %#", (text, message) => {
    expect(() =>
      ladder.written(
        text.includes("bot:") ? text : `${text}\nbot: bot.yaml\nrules: { markets: {} }\n`,
        "wrong",
      ),
    ).toThrow(message);
  });
});
