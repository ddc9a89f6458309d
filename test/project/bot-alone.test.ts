import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../cli/until.js";
import { KEYS, startEmbedded } from "../exchange/client/embedded.js";
import { Checkout, PROJECT_ROOT } from "./checkout.js";

const MODULES = join(PROJECT_ROOT, "node_modules");
const README = readFileSync(join(PROJECT_ROOT, "README.md"), "utf8");
const COMMAND = "node_modules/marketwright/bin/marketwright.js";
/** Most that the folder of packages of a bot alone takes: `du -sm`. */
const MOST_MEGABYTES = 120;
/** npm's messages when there is no registry to ask. */
const NO_REGISTRY =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED|ERR_SOCKET_TIMEOUT/;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Started {
  readonly stop: (signal: "SIGINT" | "SIGTERM") => void;
  readonly ended: Promise<Ended>;
}

let checkout: Checkout;
let tarball: string;
/** A folder with the package and its dependencies, without the optional ones. */
let linked: string;
/** A folder in which npm installs the package without the optional dependencies, meanwhile. */
let empty: string;
let installing: Started;

beforeAll(() => {
  checkout = new Checkout("the project's own");
  for (const name of ["assets", "config", "docs", "README.md", "LICENSE"])
    cpSync(join(PROJECT_ROOT, name), join(checkout.folder, name), { recursive: true });
  checkout.takeBuild();
  const packed = checkout.run("npm", ["pack", "--ignore-scripts", "--json"]);
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  tarball = join(checkout.folder, filename);
  empty = folderOf("mw-alone-");
  const quietly = ["--prefer-offline", "--no-audit", "--no-fund", "--fetch-retries=1"];
  const [, flags = ""] =
    /^npm pack && npm install (\S+) --prefix ~\/bots \.\/marketwright/m.exec(README) ?? [];
  expect(flags).toBe("--omit=optional");
  const args = ["install", flags, "--prefix", empty, ...quietly, tarball];
  installing = start("npm", args, checkout.folder);
  linked = folderOf("mw-linked-");
  linkModules(join(linked, "node_modules"));
  const installed = join(linked, "node_modules", "marketwright");
  mkdirSync(installed);
  expect(spawnSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", installed]).status).toBe(
    0,
  );
});

afterAll(async () => {
  installing.stop("SIGTERM");
  await installing.ended;
  checkout.dispose();
  for (const folder of [linked, empty]) rmSync(folder, { recursive: true, force: true });
});

function folderOf(prefix: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  return folder;
}

/** Links every package of the project, except the optional ones. */
function linkModules(modules: string): void {
  mkdirSync(modules);
  const { optionalDependencies, peerDependencies } = JSON.parse(
    readFileSync(join(PROJECT_ROOT, "package.json"), "utf8"),
  ) as Readonly<Record<string, Readonly<Record<string, string>>>>;
  const optional = [...Object.keys(optionalDependencies), ...Object.keys(peerDependencies)];
  const left = new Set(optional.map((name) => name.split("/")[0]));
  for (const name of readdirSync(MODULES))
    if (!name.startsWith(".") && name !== "marketwright" && !left.has(name))
      symlinkSync(join(MODULES, name), join(modules, name));
}

function run(program: string, args: readonly string[], folder = empty): Promise<Ended> {
  return start(program, args, folder).ended;
}

function start(program: string, args: readonly string[], folder: string): Started {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH, HOME, MARKETWRIGHT_KEY: KEYS[0], XDG_RUNTIME_DIR: folder },
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => {
      out += String(chunk);
    });
    child.stderr.on("data", (chunk) => {
      err += String(chunk);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
  return { stop: (signal) => child.kill(signal), ended };
}

/** The README's strategy in TypeScript, and a bot that runs it. */
function writeBot(folder: string, rest: string, stream: string): void {
  const [, strategy = ""] = /```ts\n(import \{ defineStrategy[\s\S]*?)```/.exec(README) ?? [];
  writeFileSync(join(folder, "my-strategy.ts"), strategy);
  writeFileSync(
    join(folder, "bot.yaml"),
    `exchange: { rest: "${rest}", stream: "${stream}" }
account: { keyEnv: MARKETWRIGHT_KEY }
quotes: { timeInForce: POST_ONLY }
markets:
  btcusdc:
    strategy: ./my-strategy.ts
    params: { halfSpreadBps: 4, sizeBase: 0.02 }
    limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 }
risk: { maxDrawdownQuote: 500 }
`,
  );
}

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
    await Promise.all(
      Object.entries(REFUSED).map(async ([command, missing]) => {
        const ended = await run(process.execPath, [COMMAND, ...command.split(" ")], linked);
        expect(ended, command).toEqual({
          code: 1,
          out: "",
          err: `marketwright: ${missing}: run "npm install --include=optional" in ${linked}\n`,
        });
      }),
    );
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
    const ended = await run(process.execPath, [COMMAND, "run", "bot.yaml"], linked);
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

  it("has both public entries", async () => {
    const { code, out, err } = await run(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        'const [own, client] = await Promise.all([import("marketwright"), import("marketwright/exchange")]); console.log(typeof own.defineStrategy, typeof client.connect);',
      ],
      linked,
    );
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
      const checked = await run(process.execPath, [COMMAND, "check", "bot.yaml"], linked);
      expect([checked.code, checked.err]).toEqual([0, ""]);
      const { client } = await embedded.trader(KEYS[0]);
      bot = start(process.execPath, [COMMAND, "run", "bot.yaml"], linked);
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

  it(`takes at most ${MOST_MEGABYTES} MB, and reads a strategy in TypeScript`, async (context) => {
    const { code, err } = await installing.ended;
    if (code !== 0 && NO_REGISTRY.test(err)) return context.skip("npm reaches no registry");
    expect(code, err).toBe(0);
    const size = spawnSync("du", ["-sm", "node_modules"], { cwd: empty, encoding: "utf8" });
    expect(Number.parseInt(size.stdout, 10)).toBeGreaterThan(40);
    expect(Number.parseInt(size.stdout, 10)).toBeLessThanOrEqual(MOST_MEGABYTES);
    writeBot(empty, "http://127.0.0.1:1/v1", "ws://127.0.0.1:1/v1");
    const checked = await run(process.execPath, [COMMAND, "check", "bot.yaml"]);
    expect([checked.code, checked.err], checked.out).toEqual([0, ""]);
  });

  it("says which package holds the program that reads strategies, where no install script ran", async () => {
    const modules = join(linked, "node_modules");
    // The packages of each platform are optional too, and the script that replaces them may be off.
    rmSync(join(modules, "esbuild"));
    rmSync(join(modules, "@esbuild"));
    cpSync(join(MODULES, "esbuild"), join(modules, "esbuild"), { recursive: true });
    writeBot(linked, "http://127.0.0.1:1/v1", "ws://127.0.0.1:1/v1");
    const { code, err } = await run(process.execPath, [COMMAND, "run", "bot.yaml"], linked);
    expect([code, err.split("\n").at(-2)]).toEqual([
      1,
      `marketwright: markets.btcusdc.strategy: a strategy file needs the program of the package esbuild, which is not installed for this platform: run "npm install --include=optional" in ${linked}`,
    ]);
  });
});
