import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../cli/until.js";
import { KEYS, startEmbedded } from "../exchange/client/embedded.js";
import {
  COMMAND,
  type Ended,
  installFlags,
  linkedFolder,
  MODULES,
  packCheckout,
  type Started,
  startIn,
  writeBot,
} from "./alone-package.js";
import type { Checkout } from "./checkout.js";

let checkout: Checkout;
/** A folder with the package and its dependencies, without the optional ones. */
let linked: string;

beforeAll(() => {
  const packed = packCheckout();
  checkout = packed.checkout;
  linked = linkedFolder(packed.tarball);
});

afterAll(() => {
  checkout.dispose();
  rmSync(linked, { recursive: true, force: true });
});

function run(program: string, args: readonly string[]): Promise<Ended> {
  return startIn(linked, program, args).ended;
}

// A process for each would take a second.
const EVERY = `
import { runCli } from "./node_modules/marketwright/dist/cli/program.js";
import { createLiveRuntime } from "./node_modules/marketwright/dist/core/runtime/live-runtime.js";
const results = [];
for (const line of JSON.parse(process.argv[1])) {
  const result = { out: "", err: "" };
  const stream = (name) => ({ write: (text) => void (result[name] += text), on() {}, off() {} });
  const context = {
    env: process.env,
    stdout: stream("out"),
    stderr: stream("err"),
    runtime: createLiveRuntime(),
    interrupted: () => new Promise(() => {}),
    script: ${JSON.stringify(COMMAND)},
  };
  results.push({ code: await runCli(line.split(" "), context), ...result });
}
console.log(JSON.stringify(results));
process.exit();
`;

const HISTORY = "recorded history needs the package @duckdb/node-api, which is not installed";
const CHAIN =
  "a chain in this process needs the package @nomicfoundation/edr, which is not installed";
const QUEUE =
  "recorded history needs the package @duckdb/node-api, and a queue of sweeps needs the packages bullmq and ioredis, which are not installed";
const REFUSED: Readonly<Record<string, string>> = {
  start: CHAIN,
  exchange: CHAIN,
  "drill node_modules/marketwright/config/liquidator.yaml": CHAIN,
  "exchange kept.yaml": "the dataDir of an exchange needs the package lmdb, which is not installed",
  "backtest node_modules/marketwright/config/backtest.yaml --out report": HISTORY,
  "sweep node_modules/marketwright/config/sweep.yaml --out swept": HISTORY,
  "sweep node_modules/marketwright/config/sweep.yaml --out swept --queue redis://127.0.0.1:1":
    QUEUE,
  "worker --store history --queue redis://127.0.0.1:1": QUEUE,
  "compare live": HISTORY,
  "data record --exchange http://127.0.0.1:1/v1 --market btcusdc --store history": HISTORY,
  "data download --exchange http://127.0.0.1:1/v1 --market btcusdc --from 2026-01-01 --to 2026-01-02 --kinds trades --store history":
    HISTORY,
  "data import trades.csv --store history --market btcusdc": HISTORY,
};

describe("an installation without the optional packages", () => {
  it("has a command that names what it misses and how to install it, before it does anything", async () => {
    writeFileSync(
      join(linked, "kept.yaml"),
      'dataDir: kept\nmarkets: { btcusdc: { tickSize: "0.1", stepSize: "0.001" } }\n',
    );
    const before = readdirSync(linked).sort();
    const commands = Object.keys(REFUSED);
    const args = ["--input-type=module", "--eval", EVERY, JSON.stringify(commands)];
    const every = await run(process.execPath, args);
    expect([every.code, every.err]).toEqual([0, ""]);
    const results = JSON.parse(every.out) as readonly Ended[];
    const refusal = (missing: string | undefined): Ended => ({
      code: 1,
      out: "",
      err: `marketwright: ${missing}: run "npm install --include=optional" in ${linked}\n`,
    });
    for (const [place, command] of commands.entries())
      expect(results[place], command).toEqual(refusal(REFUSED[command]));
    // As a user runs it.
    const backtest = ["backtest", "run.yaml", "--out", "report"];
    expect(await run(process.execPath, [COMMAND, ...backtest])).toEqual(refusal(HISTORY));
    expect(readdirSync(linked).sort()).toEqual(before);
  });

  it("names the package of a source with ccxt, and its version, before the bot connects", async () => {
    writeBot(linked, "http://127.0.0.1:1/v1", "ws://127.0.0.1:1/v1");
    const file = join(linked, "bot.yaml");
    const text = readFileSync(file, "utf8").replace(
      "    limits:",
      "    reference: { from: [far] }\n    limits:",
    );
    writeFileSync(
      file,
      `${text}references: { far: { ccxt: binanceusdm, symbol: "BTC/USDT:USDT" } }\n`,
    );
    const ended = await run(process.execPath, [COMMAND, "run", "bot.yaml"]);
    const { version } = JSON.parse(readFileSync(join(MODULES, "ccxt", "package.json"), "utf8")) as {
      readonly version: string;
    };
    expect(ended).toEqual({
      code: 1,
      out: "",
      err: expect.stringContaining(
        `marketwright: a source of reference prices or a hedge venue with ccxt needs the package ccxt, which is not installed: run "npm install ccxt@${version}" in ${linked}\n`,
      ),
    });
  });

  it("is what the README's command installs", () => {
    expect(installFlags()).toBe("--omit=optional");
  });

  it("has both public entries", async () => {
    const { code, out, err } = await run(process.execPath, [
      "--input-type=module",
      "--eval",
      'const [own, client] = await Promise.all([import("marketwright"), import("marketwright/exchange")]); console.log(typeof own.defineStrategy, typeof client.connect);',
    ]);
    expect([code, out, err]).toEqual([0, "function function\n", ""]);
  });

  it("runs a bot with a strategy in TypeScript, which quotes", async () => {
    const embedded = await startEmbedded();
    let bot: Started | undefined;
    try {
      const { restUrl, streamUrl } = embedded.server;
      const other = await embedded.trader(KEYS[1]);
      for (const [side, price] of [
        ["BUY", "29990"],
        ["SELL", "30010"],
      ] as const)
        await other.client.place({ marketId: "btcusdc", side, amount: "0.5", price });
      writeBot(linked, restUrl, streamUrl);
      const checked = await run(process.execPath, [COMMAND, "check", "bot.yaml"]);
      expect([checked.code, checked.err]).toEqual([0, ""]);
      const { client } = await embedded.trader(KEYS[0]);
      bot = startIn(linked, process.execPath, [COMMAND, "run", "bot.yaml"]);
      await until(
        () => client.openOrders(),
        ({ length }) => length === 2,
      );
      bot.stop("SIGINT");
      const { code, out, err } = await bot.ended;
      expect(code, err).toBe(0);
      expect(out).toContain("no order is open, no position is open");
    } finally {
      bot?.stop("SIGTERM");
      await embedded.close();
    }
  });

  it("says which package holds the program that reads strategies, where no install script ran", async () => {
    const modules = join(linked, "node_modules");
    // The packages of each platform are optional too, and the script that replaces them may be off.
    rmSync(join(modules, "esbuild"));
    rmSync(join(modules, "@esbuild"));
    cpSync(join(MODULES, "esbuild"), join(modules, "esbuild"), { recursive: true });
    writeBot(linked, "http://127.0.0.1:1/v1", "ws://127.0.0.1:1/v1");
    const { code, err } = await run(process.execPath, [COMMAND, "run", "bot.yaml"]);
    expect([code, err.split("\n").at(-2)]).toEqual([
      1,
      `marketwright: markets.btcusdc.strategy: a strategy file needs the program of the package esbuild, which is not installed for this platform: run "npm install --include=optional" in ${linked}`,
    ]);
  });
});
