import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadBacktestConfig } from "#backtest/backtest-config.js";
import type { Report } from "#backtest/report-schema.js";
import { runBacktest } from "#backtest/run-backtest.js";
import { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";
import { recordedDataFolder } from "#simulator/data-folder.js";
import { builtInStrategies } from "#strategies/built-in.js";
import { hasCapture } from "../../support/capture-tape.js";

const TAG = "btcusdt-perp_20230404-05";
const MARKET = "btcusdt";
const QUOTES = { halfSpreadBps: 0.2, sizeBase: 0.01, refreshToleranceTicks: 1 };
const FUNDING = { ...QUOTES, riskAversion: 1e-6, sigma: { estimator: "ewma" } };

/** The rows of the page: strategy, maker fee as a fraction, parameters. */
const RUNS = [
  ["ladder", "0.0001", QUOTES],
  ["funding", "0.0001", FUNDING],
  ["ladder", "0", QUOTES],
  ["funding", "0", FUNDING],
] as const;

describe.skipIf(!hasCapture(TAG))("the strategy funding on the capture of April 2023", () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "funding-capture-"));
    const data = recordedDataFolder();
    const kinds = ["trades", "books"].map((kind) => join(data, kind, `${TAG}.ndjson.gz`));
    await importFiles(new HistoryStore(join(folder, "history")), {
      market: MARKET,
      files: [...kinds, join(data, "mark", `${TAG}.csv.gz`)],
      clock: { partsAt: [13_385n], baseLatencyNs: 5_000_000n },
      replace: false,
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function report(strategy: string, makerFeeRate: string, params: object): Promise<Report> {
    writeFileSync(
      join(folder, "bot.yaml"),
      `exchange: { rest: http://127.0.0.1:8620/v1, stream: ws://127.0.0.1:8620/v1 }
account: { keyEnv: KEY }
quotes: { timeInForce: POST_ONLY }
decide: { everyMs: 100 }
markets:
  ${MARKET}: { strategy: ${strategy}, params: ${JSON.stringify(params)}, limits: { maxPositionBase: 0.1, maxOrderBase: 0.05 } }
risk: { maxDrawdownQuote: 5000 }
`,
    );
    const path = join(folder, "backtest.yaml");
    writeFileSync(
      path,
      `history: { store: history, market: ${MARKET}, from: 2023-01-01, to: 2025-01-01, grade: books }
bot: bot.yaml
rules: { markets: { ${MARKET}: { tickSizeQuote: 0.1, stepSizeBase: 0.001, makerFeeRate: ${makerFeeRate}, takerFeeRate: 0.0005 } } }
fills: { queue: risk-averse, orderLatencyMs: 10, responseLatencyMs: 10 }
`,
    );
    const bound = builtInStrategies[strategy]?.bind(params);
    if (bound === undefined) throw new Error(`no strategy ${strategy}`);
    const { json } = await runBacktest(loadBacktestConfig(path, {}), {
      strategies: new Map([[MARKET, bound]]),
      version: "0.0.0",
      directory: join(folder, "report"),
      replace: true,
    });
    return JSON.parse(readFileSync(json, "utf8")) as Report;
  }

  it("earns and loses what the page says, so that nobody takes eight minutes for a proof", async () => {
    const rows: string[] = [];
    for (const [strategy, fee, params] of RUNS) {
      const { profit, fills } = await report(strategy, fee, params);
      rows.push(
        `| \`${strategy}\` | ${Number(fee) * 10_000} | ${fills.all.fills} | ${profit.funding} | ${profit.fees} | ${profit.total} |`,
      );
    }
    process.stdout.write(`${rows.join("\n")}\n`);
    const page = readFileSync("docs/reference/built-in-strategies.md", "utf8");
    for (const row of rows) expect(page).toContain(row);
  });
});
