import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KEYS, startEmbedded } from "../exchange/client/embedded.js";
import { builtCommand } from "../support/built-command.js";
import { generateHistory } from "../support/generated-history.js";
import { captureCli } from "./captured-cli.js";

const ENV = { MARKETWRIGHT_KEY: KEYS[0] };
const MAKER = `import { defineStrategy, quoteAround } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";

export default defineStrategy({
  params: z.object({ halfSpreadBps: z.number().positive() }),
  create: ({ halfSpreadBps }) => (view$) =>
    view$.pipe(map((view) => quoteAround(view, view.midTicks, { halfSpreadBps, sizeBase: 0.01 }))),
});
`;

let folder: string;
const path = (name: string): string => join(folder, name);

function installMaker(version: string): void {
  const manifest = { name: "maker", version, type: "module", exports: "./index.js" };
  writeFileSync(path("node_modules/maker/package.json"), JSON.stringify(manifest));
}

function writeBot(rest: string, stream: string): void {
  writeFileSync(
    path("bot.yaml"),
    `exchange: { rest: "${rest}", stream: "${stream}" }
account: { keyEnv: MARKETWRIGHT_KEY }
quotes: { timeInForce: POST_ONLY }
markets:
  btcusdc:
    strategy: npm:maker
    params: { halfSpreadBps: 0.03 }
    limits: { maxPositionBase: 0.2, maxOrderBase: 0.05 }
risk: { maxDrawdownQuote: 5000 }
`,
  );
}

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "package-strategy-")));
  mkdirSync(path("node_modules/maker"), { recursive: true });
  writeFileSync(path("node_modules/maker/index.js"), MAKER);
  installMaker("1.2.3");
  writeBot("http://127.0.0.1:1/v1", "ws://127.0.0.1:1/v1");
  await generateHistory(folder, { market: "btcusdc", fromMs: Date.UTC(2026, 0, 5), seconds: 30 });
  writeFileSync(
    path("backtest.yaml"),
    `history: { market: btcusdc }
bot: bot.yaml
rules: { markets: { btcusdc: { tickSizeQuote: 0.1, stepSizeBase: 0.001, makerFeeRate: 0, takerFeeRate: 0.0005 } } }
`,
  );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a bot whose strategy is in a package", () => {
  it("is checked, with the version that would trade", async () => {
    const { code, out } = await captureCli(["check", path("bot.yaml")], ENV);
    expect(code).toBe(0);
    expect(out).toContain("npm:maker 1.2.3 accepts its parameters");
  });

  it("is backtested, and the report names the version that traded", async () => {
    const args = ["backtest", path("backtest.yaml"), "--out", path("report")];
    const { code, err } = await captureCli(args);
    expect(code, err).toBe(0);
    const report = JSON.parse(readFileSync(path("report/report.json"), "utf8")) as {
      readonly inputs: readonly { readonly name: string }[];
      readonly fills: { readonly all: { readonly fills: number } };
      readonly markets: readonly { readonly strategy: string }[];
    };
    expect(report.inputs.map(({ name }) => name)).toEqual(["npm:maker 1.2.3"]);
    expect(report.fills.all.fills).toBeGreaterThan(0);
    expect(report.markets[0]?.strategy).toBe("npm:maker");
  });

  it("is swept on threads, each of which finds the package", () => {
    writeFileSync(
      path("sweep.yaml"),
      `backtest: backtest.yaml
parameters: { markets.btcusdc.params.halfSpreadBps: { values: [0.03, 0.06] } }
method: grid
workers: 2
`,
    );
    const args = [builtCommand(), "sweep", path("sweep.yaml"), "--out", path("swept")];
    const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(status, stderr).toBe(0);
    expect(stdout).toMatch(/^maximise profit\nrank {2}point .*\n1 .*\n2 /);
  });

  it("trades live, and a replay of its journal says that another version is installed now", async () => {
    const embedded = await startEmbedded();
    const journal = path("run.journal");
    try {
      const other = await embedded.trader(KEYS[1]);
      for (const [side, price] of [
        ["BUY", "29990"],
        ["SELL", "30010"],
      ] as const)
        await other.client.place({ marketId: "btcusdc", side, amount: "0.5", price });
      writeBot(embedded.server.restUrl, embedded.server.streamUrl);
      const args = ["run", path("bot.yaml"), "--journal", journal, "--for", "2s"];
      const { code, err } = await captureCli(args, ENV);
      expect(code, err).toBe(0);
    } finally {
      await embedded.close();
    }
    const same = await captureCli(["replay", journal, "--quiet"]);
    expect(same.code).toBe(0);
    expect(same.out).not.toContain("is not the strategy that was recorded");
    installMaker("1.3.0");
    const other = await captureCli(["replay", journal, "--quiet"]);
    expect(other.out).toContain(
      "markets.btcusdc.strategy: npm:maker is not the strategy that was recorded (version 1.2.3 then, 1.3.0 now; ",
    );
  });
});
