import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { builtCommand } from "../support/built-command.js";
import { freePort } from "../support/free-port.js";
import { captureCli } from "./captured-cli.js";
import { until } from "./until.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
let command: string;
beforeAll(() => {
  command = builtCommand();
});
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGTERM");
});

async function files(): Promise<{
  readonly folder: string;
  readonly port: number;
  readonly args: readonly string[];
}> {
  const folder = mkdtempSync(join(tmpdir(), "mw-"));
  const port = await freePort();
  writeFileSync(
    join(folder, "exchange.yaml"),
    `port: ${port}
markets: { btcusdc: { flow: { kind: synthetic, startPriceQuote: 60000 } } }
`,
  );
  writeFileSync(
    join(folder, "bot.yaml"),
    `exchange: { rest: "http://127.0.0.1:${port}/v1", stream: "ws://127.0.0.1:${port}/v1" }
account: { keyEnv: MARKETWRIGHT_KEY }
quotes: { timeInForce: POST_ONLY }
markets: { btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 } } }
risk: { maxDrawdownQuote: 500 }
`,
  );
  return {
    folder,
    port,
    args: [
      "start",
      join(folder, "bot.yaml"),
      "--exchange",
      join(folder, "exchange.yaml"),
      "--json",
    ],
  };
}

/** A process of its own; one that hangs is ended after its test. */
function start(args: readonly string[], folder: string) {
  const run = launch(args, folder);
  started.push(run.child);
  return run;
}

function launch(args: readonly string[], folder: string) {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, XDG_RUNTIME_DIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    out += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    err += chunk;
  });
  const done = once(child, "close").then(([code]) => ({ code: code as number | null, out, err }));
  return { child, done };
}

/** The states of starts that ended in order. */
const endedStarts = (folder: string) =>
  readdirSync(join(folder, ".marketwright")).filter((account) =>
    existsSync(join(folder, ".marketwright", account, "start-ended")),
  );

const exchangeAnswers = async (port: number) =>
  (await captureCli(["call", "time", "--rest", `http://127.0.0.1:${port}/v1`])).code === 0;

describe("marketwright start", () => {
  it("trades with a key that nobody has had before, guarded, and leaves neither orders nor processes", async () => {
    const traded = async (time: string) => {
      const made = await files();
      const { code, out, err } = await start([...made.args, "--for", time], made.folder).done;
      expect(err).toContain("a fresh account for this start");
      expect(code).toBe(0);
      return { ...made, err, summary: JSON.parse(out) };
    };
    let run = await traded("3s");
    // A busy machine gets longer until its first quotes.
    if (run.summary.ordersPlaced < 2) run = await traded("60s");
    const { folder, port, err, summary } = run;
    expect(summary).toMatchObject({ openOrdersLeft: 0, stopReason: "the time is over" });
    expect(summary.ordersPlaced).toBeGreaterThanOrEqual(2);
    expect(await exchangeAnswers(port)).toBe(false);

    const [account] = readdirSync(join(folder, ".marketwright"));
    const state = join(folder, ".marketwright", account ?? "");
    expect(statSync(join(state, "key")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(state, "key"), "utf8")).toMatch(/^0x[0-9a-f]{64}\n$/);
    expect(readFileSync(join(state, "guard.log"), "utf8")).toContain(
      "watching the bot's heartbeat",
    );
    expect(existsSync(join(state, "start-ended"))).toBe(true);
    expect(err + readFileSync(join(state, "exchange.log"), "utf8")).not.toContain(
      readFileSync(join(state, "key"), "utf8").trim().slice(2),
    );
  });

  describe("while another runs from the same files", () => {
    let folder: string;
    let port: number;
    let args: readonly string[];
    let first: ReturnType<typeof launch>;
    beforeAll(async () => {
      ({ folder, port, args } = await files());
      first = launch(args, folder);
      await until(
        () => captureCli(["status"], { XDG_RUNTIME_DIR: folder }),
        ({ code }) => code === 0,
      );
    });
    afterAll(() => first.child.kill("SIGTERM"));

    it("names the process of the one that already runs, and runs beside it on other ports", async () => {
      const refused = await start(args, folder).done;
      expect(refused).toMatchObject({
        code: 1,
        out: "",
        err: expect.stringMatching(/^marketwright: another start is running: [^\n]*\n$/),
      });
      expect(refused.err).toContain(`process ${first.child.pid} has the exchange`);
      const [own] = readdirSync(join(folder, ".marketwright"));
      const other = start(
        [...args, "--port", "0", "--metrics-port", "0", "--cockpit-port", "0"],
        folder,
      );
      const accounts = await until(
        () =>
          readdirSync(join(folder, ".marketwright")).filter(
            (name) => name !== own && existsSync(join(folder, ".marketwright", name, "key")),
          ),
        ({ length }) => length === 1,
      );
      const [account = ""] = accounts;
      const keyFile = join(folder, ".marketwright", account, "key");
      const MARKETWRIGHT_KEY = readFileSync(keyFile, "utf8").trim();
      // Of two bots of one file, a command finds the one of the key.
      await until(
        () =>
          captureCli(["status", join(folder, "bot.yaml"), "--json"], {
            XDG_RUNTIME_DIR: folder,
            MARKETWRIGHT_KEY,
          }),
        ({ code, out }) => {
          if (code !== 0) return false;
          const status = JSON.parse(out);
          return status.account.toLowerCase() === account && status.markets.btcusdc.openBids === 1;
        },
      );
      other.child.kill("SIGTERM");
      const { code, out, err } = await other.done;
      expect({ code, err }).toEqual({
        code: 0,
        err: expect.stringContaining("metrics are served"),
      });
      expect(JSON.parse(out)).toMatchObject({ openOrdersLeft: 0 });
      expect(JSON.parse(out).ordersPlaced).toBeGreaterThanOrEqual(1);
      const logs = readdirSync(join(folder, ".marketwright")).map((name) =>
        join(folder, ".marketwright", name, "guard.log"),
      );
      expect(logs.map((path) => readFileSync(path, "utf8"))).toEqual([
        expect.stringContaining("watching the bot's heartbeat"),
        expect.stringContaining("watching the bot's heartbeat"),
      ]);
    });

    it("ends its exchange and guard even when it is killed", async () => {
      expect(await exchangeAnswers(port)).toBe(true);
      const before = endedStarts(folder);
      first.child.kill("SIGKILL");
      await until(
        () => exchangeAnswers(port),
        (answers) => !answers,
      );
      expect(endedStarts(folder)).toEqual(before);
      // Its pipes close only when no companion holds them any more.
      expect((await first.done).code).toBe(null);
    });
  });

  it("runs a competitor with an account of its own at the same exchange, and ends it with the rest", async () => {
    const { folder, args } = await files();
    const metrics = `metrics: { port: ${await freePort()} }\n`;
    appendFileSync(join(folder, "bot.yaml"), metrics);
    mkdirSync(join(folder, "other"));
    const competitor = join(folder, "other", "bot.yaml");
    // Its metrics would have the same port, and its strategy is a file beside its own.
    writeFileSync(
      competitor,
      readFileSync(join(folder, "bot.yaml"), "utf8").replace(
        /strategy: ladder.*/,
        "strategy: ./own.mjs, params: {} } }",
      ),
    );
    writeFileSync(
      join(folder, "other", "own.mjs"),
      `import { defineStrategy, quoteAround } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";
export default defineStrategy({
  params: z.object({}),
  create: () => (view$) =>
    view$.pipe(map((view) => quoteAround(view, view.midTicks, { halfSpreadBps: 9, sizeBase: 0.01 }))),
});
`,
    );
    const { child, done } = start([...args, "--competitor", competitor, "--port", "0"], folder);
    const states = join(folder, "other", ".marketwright");
    await until(
      () => (existsSync(states) ? readdirSync(states) : []),
      (names) => names.length === 1,
    );
    const [account = ""] = readdirSync(states);
    const file = (name: string): string => join(states, account, name);
    const { out } = await until(
      () => captureCli(["status", file("competitor.yaml"), "--json"], { XDG_RUNTIME_DIR: folder }),
      ({ code, out }) => code === 0 && JSON.parse(out).markets.btcusdc.openBids === 1,
    );
    expect(JSON.parse(out).account.toLowerCase()).toBe(account);
    expect(existsSync(join(folder, ".marketwright", account))).toBe(false);
    expect(statSync(file("competitor.yaml")).mode & 0o777).toBe(0o600);
    child.kill("SIGTERM");
    const run = await done;
    expect({ ...run, out: JSON.parse(run.out) }).toMatchObject({
      code: 0,
      out: { openOrdersLeft: 0 },
      err: expect.stringContaining(`its log is ${file("competitor.log")}\n`),
    });
    expect(readFileSync(file("competitor.log"), "utf8")).toContain('"openOrdersLeft": 0,');
    expect(existsSync(file("start-ended"))).toBe(true);
    const running = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" }).stdout.split("\n");
    expect(running.filter((line) => line.includes(folder))).toEqual([]);
  });

  it("refuses a competitor's file that is none, or names another exchange, before it trades", async () => {
    const { folder, args } = await files();
    const elsewhere = join(folder, "elsewhere.yaml");
    writeFileSync(
      elsewhere,
      readFileSync(join(folder, "bot.yaml"), "utf8").replace(/:\d+\/v1/g, ":1/v1"),
    );
    const missing = await captureCli([...args, "--competitor", join(folder, "none.yaml")], {
      XDG_RUNTIME_DIR: folder,
    });
    expect(missing).toMatchObject({ code: 2, out: "", err: expect.stringContaining("none.yaml") });
    expect(existsSync(join(folder, ".marketwright"))).toBe(false);
    const other = await start([...args, "--competitor", elsewhere], folder).done;
    expect(other).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("does not name the exchange that was started"),
    });
    const running = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" }).stdout.split("\n");
    expect(running.filter((line) => line.includes(folder))).toEqual([]);
  });

  it("refuses a port that is none, and a port for a chain that the file does not have", async () => {
    const { folder, args } = await files();
    for (const [option, value] of [
      ["--port", "x"],
      ["--metrics-port", "70000"],
      ["--cockpit-port", "70000"],
      ["--rpc-port", "0"],
    ] as const) {
      const { code, err } = await captureCli([...args, option, value], { XDG_RUNTIME_DIR: folder });
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringContaining(`marketwright: ${option}: `),
      });
    }
    expect(existsSync(join(folder, ".marketwright"))).toBe(false);
  });

  it("says in one message why it cannot start: the port, in the exchange's own words", async () => {
    const { folder, port, args } = await files();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(port, "127.0.0.1", resolve));
    const { code, out, err } = await start(args, folder).done;
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(err).toContain(`the exchange's port is in use (got ${port})`);
    await new Promise((resolve) => taken.close(resolve));
  });

  it("says in one message that its metrics port is in use, and leaves no guard behind that was just starting", async () => {
    const { folder, args } = await files();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    appendFileSync(join(folder, "bot.yaml"), `metrics: { port: ${port} }\n`);
    const { code, err } = await start(args, folder).done;
    expect(code).toBe(1);
    expect(err).toContain(`metrics.port: is in use (got ${port})`);
    expect(err).not.toMatch(/Node\.js v|at file:/);
    const running = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" }).stdout.split("\n");
    expect(running.filter((line) => line.includes(folder))).toEqual([]);
    await new Promise((resolve) => taken.close(resolve));
  });
});
