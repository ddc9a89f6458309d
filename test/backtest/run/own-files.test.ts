import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadBacktestConfig } from "#backtest/backtest-config.js";
import { runBacktest } from "#backtest/run-backtest.js";
import { bindStrategies, loadStrategies, strategyFiles } from "#bot/market-strategies.js";
import { ConfigError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { openLog } from "#monitoring/log.js";
import { wireExchangeInfo, wireMarket } from "../../exchange/wire-records.js";
import { generateHistory } from "../../support/generated-history.js";

const FROM_MS = Date.UTC(2026, 0, 5, 12);
const STRATEGY = `import { defineStrategy, quoteAround } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";

export default defineStrategy({
  params: z.object({}),
  create: () => (view$) => view$.pipe(map((view) => quoteAround(view, view.microPrice, { halfSpreadBps: 0.03, sizeBase: 0.01 }))),
});
`;
const BUYS = `import { defineStrategy } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";

export default defineStrategy({
  params: z.object({}),
  create: (_params, { marketId }) => (view$) => view$.pipe(map(({ sequence, timeMs, midTicks }) => ({
    kind: "target", marketId, viewSequence: sequence, targetLots: 20, worstTicks: Math.ceil(midTicks * 1.01),
    schedule: { sliceLots: 20, everyMs: 1000 }, deadlineMs: timeMs + 60000,
    reason: { fairTicks: midTicks, reservationTicks: midTicks, halfSpreadTicks: 0, terms: {}, clamps: [] },
  }))),
});
`;
const BOT = `exchange: { rest: http://127.0.0.1:8620/v1, stream: ws://127.0.0.1:8620/v1 }
account: { keystore: { file: secret/key.json, passwordEnv: SECRET } }
quotes: { timeInForce: POST_ONLY }
decide: { everyMs: 200 }
stateDir: state
markets:
  btcusdc: { strategy: ./own/quiet.ts, limits: { maxPositionBase: 0.2, maxOrderBase: 0.05 } }
  ethusdc: { strategy: ladder, params: { halfSpreadBps: 1, sizeBase: 0.01 }, limits: { maxPositionBase: 0.2, maxOrderBase: 0.05 } }
risk: { maxDrawdownQuote: 5000 }
`;
const IN_FILE =
  "markets: { btcusdc: { tickSizeQuote: 0.1, stepSizeBase: 0.001, makerFeeRate: -0.00005, takerFeeRate: 0.0005 } }";
const LATENCIES =
  "requestUs,exchangeUs,responseUs\n1767614400000000,1767614400020000,1767614400030000\n";

let scratch: string;
beforeAll(async () => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "backtest-own-files-")));
  const his = join(scratch, "his");
  mkdirSync(join(his, "own"), { recursive: true });
  await generateHistory(his, { market: "btcusdc", fromMs: FROM_MS, seconds: 12 });
  writeFileSync(join(his, "bot.yaml"), BOT);
  writeFileSync(join(his, "own", "quiet.ts"), STRATEGY);
  writeFileSync(join(his, "own", "latencies.csv"), LATENCIES);
  writeFileSync(
    join(his, "info.json"),
    JSON.stringify(wireExchangeInfo([wireMarket(), wireMarket({ id: "ethusdc" })])),
  );
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function file(folder: string, rules: string, name = "run.yaml"): string {
  const path = join(scratch, folder, name);
  const fills = "fills: { queue: power-2, latencyFile: own/latencies.csv }";
  writeFileSync(
    path,
    `history: { market: btcusdc, from: 2026-01-05, to: 2026-01-06 }\nbot: bot.yaml\nrules: { ${rules} }\n${fills}\n`,
  );
  return path;
}

async function reported(path: string, directory: string, onProgress = (): boolean => true) {
  const config = loadBacktestConfig(path, {});
  const loaded = await loadStrategies(
    config.bot,
    openLog({ level: "silent", clock: createLiveRuntime().clock }),
  );
  return runBacktest(config, {
    strategies: bindStrategies(config.bot, loaded),
    strategyFiles: strategyFiles(loaded),
    directory,
    replace: false,
    version: "0.0.0",
    onProgress,
  });
}

describe("a report that is sent to somebody", () => {
  it.each([
    ["rules of its own", IN_FILE],
    ["an exchange's answer", "exchangeInfo: info.json"],
  ])(
    "contains files, with %s, that rerun to the same bytes on the same history",
    async (what, rules) => {
      const sent = await reported(file("his", rules), join(scratch, `sent ${what}`));
      expect(sent.report.fills.all.fills).toBeGreaterThan(5);
      const mine = join(scratch, `mine ${what}`);
      // Inputs that the report can only name: the history, strategies and latencies.
      for (const name of ["history", "own"])
        cpSync(join(scratch, "his", name), join(mine, name), { recursive: true });
      for (const { name, yaml } of sent.report.configuration) writeFileSync(join(mine, name), yaml);
      const again = await reported(join(mine, "run.yaml"), join(mine, "report"));
      expect(again.report).toEqual(sent.report);
      for (const of of ["json", "html", "fillsCsv"] as const)
        expect(readFileSync(again[of]).equals(readFileSync(sent[of])), of).toBe(true);
    },
  );

  it("names every file that it depends on by its checksum, and no folder of the one who ran it", async () => {
    const { report, html, json } = await reported(
      file("his", IN_FILE, "named.yaml"),
      join(scratch, "named"),
    );
    expect(report.inputs.map(({ name }) => name)).toEqual(["quiet.ts", "latencies.csv"]);
    expect(report.data.map(({ file }) => file)).toEqual([
      "btcusdc/book/2026-01-05.parquet",
      "btcusdc/trades/2026-01-05.parquet",
    ]);
    expect(new Set([...report.inputs, ...report.data].map(({ sha256 }) => sha256)).size).toBe(4);
    expect(report.gaps.length).toBeGreaterThan(0);
    for (const path of [html, json]) {
      const text = readFileSync(path, "utf8");
      expect(text).not.toContain(scratch);
      expect(text).not.toMatch(/key\.json|stateDir/);
    }
  });
});

describe("a file that is named and is not there", () => {
  it("is refused by its path before anything is replayed, as every other wrong value is", async () => {
    const path = file("his", IN_FILE, "no-latencies.yaml");
    writeFileSync(path, readFileSync(path, "utf8").replace("own/latencies.csv", "own/nowhere.csv"));
    const run = reported(path, join(scratch, "no-latencies"));
    await expect(run).rejects.toThrow(ConfigError);
    await expect(run).rejects.toMatchObject({
      field: "fills.latencyFile",
      value: join(scratch, "his", "own", "nowhere.csv"),
    });
    expect(existsSync(join(scratch, "no-latencies"))).toBe(false);
  });
});

describe("an order that works a position", () => {
  it("is no quote of any level: its fills have the level that the report's page has for them", async () => {
    writeFileSync(join(scratch, "his", "own", "buys.ts"), BUYS);
    writeFileSync(join(scratch, "his", "buying-bot.yaml"), BOT.replace("quiet.ts", "buys.ts"));
    const path = file("his", IN_FILE, "buys.yaml");
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace("bot: bot.yaml", "bot: buying-bot.yaml"),
    );
    const { report, fillsCsv } = await reported(path, join(scratch, "buys"));
    const [, ...fills] = readFileSync(fillsCsv, "utf8").trim().split("\n");
    expect(fills.length).toBeGreaterThan(0);
    expect(new Set(fills.map((line) => line.split(",").slice(5, 7).join(" ")))).toEqual(
      new Set(["BUY -1"]),
    );
    expect(report.markets[0].markouts.map(({ side, level }) => `${side} ${level}`)).toEqual([
      "BOTH ALL",
      "BUY ALL",
      "BOTH -1",
      "BUY -1",
    ]);
  });
});

// Time waits for such a strategy for an unknown time: a network request at each view, a model that
// is fitted.
describe("a run of a strategy from a file", () => {
  it("handles an interrupt every few hundred views: a slow one ignored Ctrl-C for ten minutes of the market", async () => {
    writeFileSync(
      join(scratch, "his", "often-bot.yaml"),
      BOT.replace("everyMs: 200", "everyMs: 10"),
    );
    const path = file("his", IN_FILE, "often.yaml");
    writeFileSync(path, readFileSync(path, "utf8").replace("bot: bot.yaml", "bot: often-bot.yaml"));
    const whole = await reported(path, join(scratch, "often"));
    let asked = 0;
    const { report } = await reported(path, join(scratch, "often-stopped"), () => {
      asked += 1;
      return asked < 2;
    });
    expect([whole.report.ended, report.ended, asked]).toEqual(["end-of-history", "stopped", 2]);
    expect(Date.parse(report.span.to)).toBeLessThan(Date.parse(whole.report.span.to) - 2_000);
  });
});

describe("the asset of a report", () => {
  const info = (name: string, ...assets: readonly string[]): string => {
    const markets = assets.map((quoteAssetName, at) =>
      wireMarket({ id: ["btcusdc", "ethusdc"][at] as string, quoteAssetName }),
    );
    writeFileSync(join(scratch, "his", name), JSON.stringify(wireExchangeInfo(markets)));
    return `exchangeInfo: ${name}`;
  };
  const assetOf = (rules: string): string =>
    loadBacktestConfig(file("his", rules, "asset.yaml"), {}).asset;

  it("is the one that the exchange quotes in, or what the file says, or USDC", () => {
    expect(assetOf(IN_FILE)).toBe("USDC");
    expect(assetOf(`quoteAsset: USDT, ${IN_FILE}`)).toBe("USDT");
    expect(assetOf(info("dollars.json", "USDX"))).toBe("USDX");
    expect(assetOf(`quoteAsset: EURC, ${info("dollars.json", "USDX")}`)).toBe("EURC");
  });

  it("must be given where replayed markets differ in it: an account has one", () => {
    const rules = info("two.json", "USDC", "USDT");
    const path = join(scratch, "his", "two.yaml");
    const bot = BOT.replace(
      "./own/quiet.ts",
      "ladder, params: { halfSpreadBps: 1, sizeBase: 0.01 }",
    );
    writeFileSync(join(scratch, "his", "two-bot.yaml"), bot);
    const history =
      "history: { markets: { btcusdc: btcusdc, ethusdc: btcusdc }, from: 2026-01-05, to: 2026-01-06 }";
    const load = (more: string) => () => {
      writeFileSync(path, `${history}\nbot: two-bot.yaml\nrules: { ${more}${rules} }\n`);
      return loadBacktestConfig(path, {}).asset;
    };
    expect(load("")).toThrow(ConfigError);
    expect(load("")).toThrow(/rules\.quoteAsset.*USDC, USDT/s);
    expect(load("quoteAsset: USDC, ")()).toBe("USDC");
  });
});
