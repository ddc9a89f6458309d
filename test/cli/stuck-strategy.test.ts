import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { ecdsaScheme } from "#core/signing.js";
import { builtCommand } from "../support/built-command.js";
import { captureCli } from "./captured-cli.js";
import { CommandedExchange, openOrders, untilQuoting } from "./commanded-exchange.js";
import { hasTerminals, skipNote, TerminalRun } from "./terminal-run.js";
import { until } from "./until.js";

const exchange = new CommandedExchange();
let command: string;
beforeAll(() => {
  command = builtCommand();
});

const children: ChildProcess[] = [];
afterEach(() => {
  // One that hangs would outlive a test that failed.
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

function start(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [command, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
  const says = (part: string) =>
    until(
      () => text,
      (said) => said.includes(part),
    );
  return { child, ended, says };
}

/**
 * A bot that quotes, until the file `loops` lies beside its strategy: then the strategy never
 * returns.
 */
function loopingBot(extra = "guard: { deadAfterMs: 1000, heartbeatMs: 250 }") {
  const bot = exchange.bot({ extra, params: "{}" });
  const folder = join(bot.file, "..");
  writeFileSync(
    join(folder, "looping.ts"),
    `import { existsSync } from "node:fs";
import { defineStrategy, quoteAround } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";

export default defineStrategy({
  params: z.object({}),
  create: () => (view$) => view$.pipe(map((view) => {
    while (existsSync(${JSON.stringify(join(folder, "loops"))})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    return quoteAround(view, view.microPrice, { halfSpreadBps: 3, sizeBase: 0.02 });
  })),
});
`,
  );
  writeFileSync(
    bot.file,
    readFileSync(bot.file, "utf8").replace("strategy: ladder", "strategy: ./looping.ts"),
  );
  return {
    ...bot,
    loops: () => writeFileSync(join(folder, "loops"), ""),
    returns: () => rmSync(join(folder, "loops")),
  };
}

describe("a strategy that never returns", () => {
  it("is named by the log with its market and line, the guard cancels, commands say why nobody answers, and a signal ends the process", async () => {
    const { file, env, loops } = loopingBot();
    const guard = start(["guard", file, "--json"], env);
    await guard.says('"watching"');
    const bot = start(["run", file, "--json", "--no-screen"], env);
    await untilQuoting(file, env);
    loops();
    // Nobody in the process hears of this one any more.
    await bot.says("the strategy of btcusdc (");
    await bot.says("was called and has not returned, at looping.ts:9:");
    await guard.says('"safe"');
    expect(await openOrders(file, env)).toEqual([]);
    const asked = await captureCli(["status", file], env);
    expect(asked.code).toBe(1);
    expect(asked.err).toContain(
      `the bot's process ${bot.child.pid} has not answered for 10 s: its event loop is busy`,
    );
    bot.child.kill("SIGTERM");
    expect(await bot.ended).toEqual({ code: null, signal: "SIGTERM" });
    guard.child.kill("SIGTERM");
    await guard.ended;
  });

  it("leaves no order where no guard runs, and ends with 1 when its time is over", async () => {
    const { file, env, loops } = loopingBot();
    // Enough for a busy machine to quote, and for the watchdog to find the loop.
    const bot = start(["run", file, "--json", "--no-screen", "--for", "25s"], env);
    await untilQuoting(file, env);
    loops();
    await bot.says("no guard runs: the watchdog cancels the bot's orders");
    expect(await bot.ended).toEqual({ code: 1, signal: null });
    await bot.says("the time is over");
    expect(await openOrders(file, env)).toEqual([]);
  });

  it("that returns after all goes on quoting, and the bot hears signals again", async () => {
    const { file, env, loops, returns } = loopingBot();
    const bot = start(["run", file, "--json", "--no-screen"], env);
    await untilQuoting(file, env);
    loops();
    await bot.says("no guard runs: the watchdog cancels the bot's orders");
    returns();
    await bot.says("the event loop runs again");
    await bot.says("is lost: send it again");
    await untilQuoting(file, env);
    bot.child.kill("SIGTERM");
    expect(await bot.ended).toEqual({ code: 0, signal: null });
    expect(await openOrders(file, env)).toEqual([]);
  });
});

describe.skipIf(!hasTerminals)(`a strategy that hangs behind the live screen${skipNote}`, () => {
  it("leaves the terminal to the report, and Ctrl-C ends the process", async () => {
    const { file, env, loops } = loopingBot();
    const run = new TerminalRun(`"${process.execPath}" "${command}" run "${file}"`, env);
    children.push(run.child);
    await untilQuoting(file, env);
    await run.untilShown("q stop");
    loops();
    // In raw mode nobody would read the key: the bot would have to be killed from elsewhere.
    await run.untilSaid("A signal ends the process at once.");
    run.type("\u0003");
    expect(await run.end()).toMatchObject({ isRestored: true });
    expect(run.text.split("\u001b[?1049l")[1]).toContain("the strategy of btcusdc (");
  });

  it("draws again once the strategy returns", async () => {
    const { file, env, loops, returns } = loopingBot();
    const run = new TerminalRun(`"${process.execPath}" "${command}" run "${file}"`, env);
    children.push(run.child);
    await untilQuoting(file, env);
    await run.untilShown("q stop");
    loops();
    await run.untilSaid("A signal ends the process at once.");
    returns();
    await run.untilShown("q stop");
    run.type("q");
    await run.untilShown("stop the bot?");
    run.type("y");
    expect(await run.end()).toEqual({ code: 0, isRestored: true });
  });
});

describe("a start that cannot be finished", () => {
  it.each([
    ["a module that awaits for ever", "await new Promise(() => {});"],
    ["a module that loops for ever", "for (;;) Math.sqrt(2);"],
  ])("hears a signal: %s", async (_what, top) => {
    const { file, env } = loopingBot();
    writeFileSync(
      join(file, "..", "looping.ts"),
      `console.log("loading"); ${top}\nexport default 1;`,
    );
    const bot = start(["run", file, "--json", "--no-screen"], env);
    await bot.says("loading");
    bot.child.kill("SIGTERM");
    expect(await bot.ended).toEqual({ code: null, signal: "SIGTERM" });
  });

  it.each(["account.json", "peak-equity.json", "budget.json", "fills.jsonl"])(
    "is refused where the state's %s is a pipe",
    async (name) => {
      const { file, env, key, stateDir } = exchange.bot();
      // The state of an account that the exchange does not know yet is set aside, whatever it is.
      await captureCli(
        ["call", "registerAccount", `account=${ecdsaScheme.signer(key).address}`, "--bot", file],
        env,
      );
      mkdirSync(stateDir(), { recursive: true, mode: 0o700 });
      execFileSync("mkfifo", [join(stateDir(), name)]);
      const run = await captureCli(["run", file, "--json", "--no-screen", "--for", "1s"], env);
      expect(run.code).toBe(1);
      expect(run.err).toContain("a named pipe");
    },
  );
});
