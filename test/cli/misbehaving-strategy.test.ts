import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtCommand } from "../support/built-command.js";
import { generateHistory } from "../support/generated-history.js";

/** Quotes about the middle, and at its tenth view does something that a strategy should not. */
const strategy = (
  deed: string,
): string => `import { defineStrategy, quoteAround } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";

let views = 0;
export default defineStrategy({
  params: z.object({ halfSpreadBps: z.number() }),
  create: ({ halfSpreadBps }) => (view$) => view$.pipe(map((view) => {
    if (++views === 10) ${deed};
    return quoteAround(view, view.microPrice, { halfSpreadBps, sizeBase: 0.01 });
  })),
});
`;
const REJECTS = 'void Promise.reject(new Error("the feed is down"))';
const THROWS_LATER = 'setTimeout(() => { throw new Error("the feed is down"); }, 0)';

let scratch: string;
let command: string;
beforeAll(async () => {
  command = builtCommand();
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "cli-misbehaving-")));
  await generateHistory(scratch, {
    market: "btcusdc",
    fromMs: Date.UTC(2026, 0, 5, 12),
    seconds: 12,
  });
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A folder with a bot of such a strategy, its backtest and its sweep. */
function files(name: string, deed: string) {
  const folder = join(scratch, name);
  mkdirSync(folder);
  const own = join(folder, "own.ts");
  writeFileSync(own, strategy(deed));
  writeFileSync(
    join(folder, "bot.yaml"),
    `exchange: { rest: http://127.0.0.1:8620/v1, stream: ws://127.0.0.1:8620/v1 }
account: { keyEnv: KEY }
quotes: { timeInForce: POST_ONLY }
decide: { everyMs: 200 }
markets: { btcusdc: { strategy: ./own.ts, params: { halfSpreadBps: 0.03 }, limits: { maxPositionBase: 0.2, maxOrderBase: 0.05 } } }
risk: { maxDrawdownQuote: 5000 }
`,
  );
  writeFileSync(
    join(folder, "run.yaml"),
    `history: { store: ../history, market: btcusdc, from: 2026-01-05, to: 2026-01-06 }
bot: bot.yaml
rules: { markets: { btcusdc: { tickSizeQuote: 0.1, stepSizeBase: 0.001, makerFeeRate: 0.0001, takerFeeRate: 0.0005 } } }
`,
  );
  writeFileSync(
    join(folder, "sweep.yaml"),
    `backtest: run.yaml
parameters: { markets.btcusdc.params.halfSpreadBps: { values: [0.03] } }
method: grid
objective: profit
`,
  );
  return { folder, own };
}

/** Runs the command in a separate process. */
async function run(folder: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const [code] = await once(child, "close");
  return { code: code as number | null, out, err };
}

const SOURCES = ["bot.yaml", "own.ts", "run.yaml", "sweep.yaml"];

describe("a strategy that does something where nobody waits for it", () => {
  it.each([
    [
      "rejects a promise that it does not await",
      REJECTS,
      "rejected a promise that it does not await: the feed is down (own.ts:9:",
    ],
    [
      "throws in a timer of its own",
      THROWS_LATER,
      "threw outside its operator, in one of its timers or callbacks: the feed is down (own.ts:9:",
    ],
    [
      "rejects with no reason",
      "void Promise.reject()",
      "rejected a promise that it does not await: undefined",
    ],
  ])("and %s ends a backtest by its name, with nothing half-written", async (name, deed, told) => {
    const { folder, own } = files(`backtest ${name}`, deed);
    const { code, out, err } = await run(folder, "backtest", "run.yaml", "--out", "report");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(`marketwright: markets.btcusdc.strategy: the strategy ${told}`);
    expect(err).toContain(`(got "${own}"); expected every promise awaited or caught`);
    expect(err).not.toMatch(/Node\.js v/);
    expect(readdirSync(folder).sort()).toEqual(SOURCES);
  });

  it("ends a sweep by its name and its point's", async () => {
    const { folder, own } = files("sweep rejects", REJECTS);
    const { code, out, err } = await run(folder, "sweep", "sweep.yaml", "--out", "swept");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(
      "marketwright: whole-0: markets.btcusdc.strategy: the strategy rejected a promise that it does not await: the feed is down (own.ts:9:",
    );
    expect(err).toContain(own);
  });

  // The figures are complete: waiting for the command to end would be pointless.
  it("and keeps a timer for ever does not keep the process", async () => {
    const { folder } = files("interval", "setInterval(() => {}, 1000)");
    const { code, out } = await run(folder, "backtest", "run.yaml", "--out", "report");
    expect(code).toBe(0);
    expect(out).toContain("profit ");
  });

  // A script that checks the exit code would take a run without a report as a success, and a live
  // bot would leave its orders behind.
  it("and calls process.exit does not end the process: it is halted, as one that throws", async () => {
    const { folder } = files("exit", "process.exit(0)");
    const { code, out, err } = await run(folder, "backtest", "run.yaml", "--out", "report");
    expect(code).toBe(1);
    expect(out).toMatch(
      /^HALTED: .*strategy-error: strategy failed: process\.exit\(0\) in a strategy/m,
    );
    expect(err).toContain("own.ts:9:");
  });

  it("and ends the process behind its back, as a package may, is said to have: it has no good end", async () => {
    const { folder } = files("exit behind", "(({ exit }) => exit(0))(process)");
    const { code, out, err } = await run(folder, "backtest", "run.yaml", "--out", "report");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("marketwright: the process was ended with 0 before its command was done");
  });
});

it("a strategy that throws in a sweep's thread has its stack in the log, with the point and the line of its own file", async () => {
  const { folder, own } = files("sweep throws", 'throw new Error("the feed is down")');
  const { code, err } = await run(folder, "sweep", "sweep.yaml", "--out", "swept");
  expect(code).toBe(1);
  const failed = err.split("\n").find((line) => line.includes("the strategy failed"));
  expect(JSON.parse(failed ?? "{}")).toMatchObject({
    job: "whole-0",
    marketId: "btcusdc",
    stack: expect.stringContaining(`the feed is down\n    at ${own}:9:`),
  });
});
