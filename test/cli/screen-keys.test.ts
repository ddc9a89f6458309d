import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { isListening } from "#bot/control-server.js";
import { findRunningBots } from "#bot/running-bots.js";
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

const runs: TerminalRun[] = [];
afterEach(() => {
  // One whose test failed would run on.
  for (const run of runs.splice(0)) run.child.kill("SIGKILL");
});

interface ScreenBot {
  readonly file: string;
  readonly env: Record<string, string>;
  readonly run: TerminalRun;
}

function started(bot: Omit<ScreenBot, "run">, args = "", before = ""): ScreenBot {
  const run = new TerminalRun(
    `${before}"${process.execPath}" "${command}" run "${bot.file}" ${args}`,
    bot.env,
  );
  runs.push(run);
  return { ...bot, run };
}

async function quoting(args = ""): Promise<ScreenBot> {
  const bot = started(exchange.bot(), args);
  await untilQuoting(bot.file, bot.env);
  await bot.run.untilShown("q stop");
  return bot;
}

async function pidOf({ file, env }: ScreenBot): Promise<number> {
  const bot = (await findRunningBots(env, isListening)).find(({ config }) => config === file);
  if (bot === undefined) throw new Error("no bot runs");
  return bot.pid;
}

const statusOf = async ({ file, env }: ScreenBot) =>
  JSON.parse((await captureCli(["status", file, "--json"], env)).out);

describe.skipIf(!hasTerminals)(`the keys of the live screen, in a real terminal${skipNote}`, () => {
  it("halt and resume the bot after a second key, as journaled commands, and stop it", async () => {
    const bot = exchange.bot();
    const journal = join(bot.file, "..", "run.jsonl");
    const screen = started(bot, `--journal "${journal}"`);
    await untilQuoting(bot.file, bot.env);
    await screen.run.untilShown("q stop");
    screen.run.type("h");
    await screen.run.untilShown("y yes, n no: halt?");
    expect((await statusOf(screen)).activeHalts).toEqual([]);
    screen.run.type("n");
    await screen.run.untilShown("Nothing was done.");
    expect((await statusOf(screen)).activeHalts).toEqual([]);
    screen.run.type("h");
    await screen.run.untilShown("halt?");
    screen.run.type("y");
    await screen.run.untilShown(/Halted: |Quotes are down/);
    await screen.run.untilShown("HALTED  manual: requested at the screen");
    expect((await statusOf(screen)).activeHalts).toMatchObject([
      { name: "manual", why: "requested at the screen" },
    ]);
    screen.run.type("r");
    await screen.run.untilShown("resume?");
    screen.run.type("y");
    await screen.run.untilShown("Resumed: ");
    await untilQuoting(bot.file, bot.env);
    screen.run.type("q");
    await screen.run.untilShown("stop the bot?");
    screen.run.type("y");
    expect(await screen.run.end()).toEqual({ code: 0, isRestored: true });
    expect(screen.run.text).toMatch(/stopping: \d orders? being cancelled|stopping: no order/);
    expect(await openOrders(bot.file, bot.env)).toEqual([]);
    const commands = readFileSync(journal, "utf8")
      .split("\n")
      .flatMap((line) => /"command":"(halt|resume|stop)"/.exec(line)?.[1] ?? []);
    expect(commands).toEqual(["halt", "resume", "stop"]);
  });

  it("leave Ctrl-C as it is, and Ctrl-Z does not suspend a bot with its orders", async () => {
    const { run, file, env } = await quoting();
    run.type("\u001a");
    await run.untilShown("Ctrl-Z does nothing");
    run.type("?");
    await run.untilShown("Keys.");
    run.type("\u0003");
    expect(await run.end()).toEqual({ code: 0, isRestored: true });
    expect(run.text).toContain("SIGINT");
    expect(await openOrders(file, env)).toEqual([]);
  });

  it("are given back while the process is suspended by a signal, and come again", async () => {
    const bot = await quoting();
    const pid = await pidOf(bot);
    const left = () => bot.run.text.split("\u001b[?1049l").length - 1;
    process.kill(pid, "SIGTSTP");
    await until(
      async () => left(),
      (times) => times === 1,
    );
    await until(
      async () => readFileSync(`/proc/${pid}/stat`, "utf8"),
      (stat) => / T /.test(stat),
    );
    process.kill(pid, "SIGCONT");
    // The last screen before the signal would be found too.
    await until(
      async () => bot.run.text.split("\u001b[?1049h").length - 1,
      (times) => times === 2,
    );
    await bot.run.untilShown("q stop");
    bot.run.type("q");
    await bot.run.untilShown("stop the bot?");
    bot.run.type("y");
    expect(await bot.run.end()).toEqual({ code: 0, isRestored: true });
  });

  it("are given back where the process ends with an error, whose text stays visible", async () => {
    const bot = exchange.bot();
    const crash = join(bot.file, "..", "crash.mjs");
    writeFileSync(
      crash,
      "process.once('SIGUSR2', () => { process.removeAllListeners('uncaughtException'); throw new Error('it crashed'); });\n",
    );
    const screen = started(bot, "", `NODE_OPTIONS="--import ${crash}" `);
    await untilQuoting(bot.file, bot.env);
    await screen.run.untilShown("q stop");
    process.kill(await pidOf(screen), "SIGUSR2");
    const { code, isRestored } = await screen.run.end();
    expect([code, isRestored]).toEqual([1, true]);
    const [, afterwards = ""] = screen.run.text.split("\u001b[?1049l");
    expect(afterwards).toContain("it crashed");
  });

  it("are not read in the background, where that would stop the process with its orders", async () => {
    const bot = exchange.bot();
    // Job control of an interactive shell: a background job has a process group of its own.
    const script = join(bot.file, "..", "background.sh");
    writeFileSync(
      script,
      `set -m\n"${process.execPath}" "${command}" run "${bot.file}" &\nread line\nkill -INT $!\nwait $!\n`,
    );
    const run = new TerminalRun(`/bin/bash "${script}"`, bot.env);
    runs.push(run);
    await untilQuoting(bot.file, bot.env);
    await run.untilShown("Ctrl-C cancels the bot's orders and exits");
    run.type("h\n");
    expect(await run.end()).toEqual({ code: 0, isRestored: true });
    expect(await openOrders(bot.file, bot.env)).toEqual([]);
  });
});
