import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { loadBacktestConfig } from "#backtest/backtest-config.js";
import { runBacktest } from "#backtest/run-backtest.js";
import { bindStrategies, loadStrategies } from "#bot/market-strategies.js";
import { ConfigError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { openLog } from "#monitoring/log.js";
import { generateHistory } from "../../support/generated-history.js";

const CONFIG = new URL("../../../config/", import.meta.url).pathname;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "backtest-example-"));
  mkdirSync(join(folder, "config"));
  for (const file of ["backtest.yaml", "minimal.yaml"])
    copyFileSync(join(CONFIG, file), join(folder, "config", file));
  await generateHistory(join(folder), {
    market: "btcusdc",
    fromMs: Date.UTC(2026, 0, 5),
    seconds: 20,
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The example with a path of it changed; undefined takes it out. */
function changed(path: readonly string[], value: unknown): string {
  const written = parse(readFileSync(join(CONFIG, "backtest.yaml"), "utf8")) as Record<
    string,
    unknown
  >;
  const last = path.at(-1) as string;
  const parent = path
    .slice(0, -1)
    .reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, written);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  const file = join(folder, "config", "changed.yaml");
  writeFileSync(file, stringify(written));
  return file;
}

describe("config/backtest.yaml", () => {
  it("replays what was recorded of the embedded exchange, as it stands", async () => {
    const config = loadBacktestConfig(join(folder, "config", "backtest.yaml"), {});
    const strategies = bindStrategies(
      config.bot,
      await loadStrategies(
        config.bot,
        openLog({ level: "silent", clock: createLiveRuntime().clock }),
      ),
    );
    const { report } = await runBacktest(config, {
      strategies,
      directory: join(folder, "report"),
      replace: false,
      version: "0.0.0",
    });
    expect([report.grade, report.ended]).toEqual(["books", "end-of-history"]);
    expect(Number(report.equity.start)).toBe(100_000);
  });

  it.each<[readonly string[], unknown, RegExp]>([
    [["bot"], undefined, /bot/],
    [["bot"], "absent.yaml", /absent\.yaml/],
    [["history"], undefined, /history/],
    [["history", "market"], "ethusdc", /history\.market: .*btcusdc: ethusdc/s],
    [["history", "markets"], { btcusdc: "x" }, /history/],
    [["history", "from"], "yesterday", /history\.from.*yesterday/s],
    [["history", "to"], "1970-01-01", /history\.to.*1970-01-01/s],
    [["history", "grade"], "ticks", /history\.grade.*ticks/s],
    [["history", "interval"], "15m", /history\.interval.*15m/s],
    [["history", "baseLatencyMs"], -1, /history\.baseLatencyMs.*-1/s],
    [["history", "strore"], "x", /strore/],
    [["rules"], undefined, /rules/],
    [["rules", "markets"], undefined, /rules/],
    [["rules", "exchangeInfo"], "info.json", /rules/],
    [
      ["rules", "markets", "btcusdc", "tickSizeQuote"],
      0,
      /rules\.markets\.btcusdc\.tickSizeQuote.*0/s,
    ],
    [
      ["rules", "markets", "btcusdc", "makerFeeRate"],
      "1 %",
      /rules\.markets\.btcusdc\.makerFeeRate.*1 %/s,
    ],
    [
      ["rules", "markets", "btcusdc", "minAmountBase"],
      0.0001,
      /rules\.markets\.btcusdc\.minAmountBase.*0\.0001/s,
    ],
    [["rules", "liquidationPriceOff"], 1, /rules\.liquidationPriceOff.*1/s],
    [["account", "creditQuote"], -5, /account\.creditQuote.*-5/s],
    [["fills", "queue"], "fifo", /fills\.queue.*fifo/s],
    [["fills", "orderLatencyMs"], -1, /fills\.orderLatencyMs.*-1/s],
    [["fills", "volumeShare"], 2, /fills\.volumeShare.*2/s],
    [["fills", "path"], "best", /fills\.path.*best/s],
    [["sampleMs"], 7000, /sampleMs.*7000/s],
    [["warmupMs"], -1, /warmupMs.*-1/s],
    [["adverseSelectionMs"], 1e9, /adverseSelectionMs/],
    [["seed"], 1.5, /seed.*1\.5/s],
  ])("refuses %j: %j, by path, value and what would be right", (path, value, says) => {
    let said: unknown;
    try {
      loadBacktestConfig(changed(path, value), {});
    } catch (error) {
      said = error;
    }
    expect(said).toBeInstanceOf(ConfigError);
    expect((said as ConfigError).message).toMatch(says);
    expect((said as ConfigError).message).toMatch(/expected/);
  });
});
