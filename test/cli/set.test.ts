import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { ConfigDifference } from "#bot/config-difference.js";
import type { ControlAnswer } from "#cli/control-handler.js";
import { type CapturedRun, captureCli, startCli } from "./captured-cli.js";
import { CommandedExchange, openOrders, untilQuoting } from "./commanded-exchange.js";
import { until } from "./until.js";

const exchange = new CommandedExchange();

const SPREAD = "markets.btcusdc.params.halfSpreadBps";

type Bot = ReturnType<CommandedExchange["bot"]>;

/** A bot that quotes, and its commands. */
async function startedBot(
  args: readonly string[] = [],
  changes: Parameters<CommandedExchange["bot"]>[0] = {},
) {
  const bot = exchange.bot({ params: "{ halfSpreadBps: 20, sizeBase: 0.02 } # wide", ...changes });
  const running = startCli(["run", bot.file, "--json", ...args], bot.env);
  if (args.includes("--dry-run"))
    await until(
      () => statusOf(bot),
      ({ markets }) => markets?.btcusdc?.state === "quoting",
    );
  else await untilQuoting(bot.file, bot.env);
  const cli = (...words: readonly string[]): Promise<CapturedRun> => captureCli(words, bot.env);
  return {
    ...bot,
    cli,
    set: (...words: readonly string[]) => cli("set", bot.file, ...words),
    status: () => statusOf(bot),
    text: () => readFileSync(bot.file, "utf8"),
    edit: (from: string, to: string) =>
      writeFileSync(bot.file, readFileSync(bot.file, "utf8").replace(from, to)),
    async stop(): Promise<CapturedRun> {
      running.interrupt();
      return running.done;
    },
  };
}

async function statusOf({ file, env }: Pick<Bot, "file" | "env">): Promise<Partial<ControlAnswer>> {
  const { code, out } = await captureCli(["status", file, "--json"], env);
  return code === 0 ? JSON.parse(out) : {};
}

const differenceOf = ({ out }: CapturedRun): ConfigDifference => JSON.parse(out).difference;

describe("values of a running bot, from the command line", () => {
  it("change at once, are shown with the quotes before and after, and replay", async () => {
    const bot = await startedBot(["--journal", `${exchange.folder}/set.jsonl`]);
    const preview = await bot.set(`${SPREAD}=40`, "--preview");
    expect(preview).toMatchObject({ code: 0, err: "" });
    expect(preview.out).toContain("1 value would change; nothing was done.");
    expect((await bot.status()).differsFromFile).toEqual([]);

    const set = await bot.set(`${SPREAD}=40`);
    expect(set).toMatchObject({ code: 0, err: "" });
    expect(set.out).toMatch(
      /^1 value changed\.\nvalue +before +after\nmarkets\.btcusdc\.params\.halfSpreadBps +20 +40\n/,
    );
    expect(set.out).toMatch(/BUY 0 .* (19|20|21)\.\d\d bps .* (39|40|41)\.\d\d bps/);
    expect(set.out).toContain("after a restart the file's apply");
    expect((await bot.status()).differsFromFile).toEqual([
      { path: SPREAD, running: "40", file: "20" },
    ]);
    expect((await bot.cli("status", bot.file)).out).toMatch(
      /differs from the file +running +file\nmarkets\.btcusdc\.params\.halfSpreadBps +40 +20\n/,
    );
    expect((await bot.set(`${SPREAD}=40`)).out).toContain("Nothing changes");

    const json = differenceOf(await bot.set("markets.btcusdc.limits.maxOpenOrders=1", "--json"));
    expect(json).toMatchObject({
      state: "applied",
      saved: false,
      changes: [{ path: "markets.btcusdc.limits.maxOpenOrders", before: null, after: "1" }],
      markets: { btcusdc: { strategy: "unchanged" } },
    });
    await until(
      () => openOrders(bot.file, bot.env),
      ({ length }) => length === 1,
    );
    expect(await bot.stop()).toMatchObject({ code: 0 });
    const replay = await bot.cli("replay", `${exchange.folder}/set.jsonl`, "--quiet");
    expect(replay).toMatchObject({ code: 0 });
    expect(replay.out).toContain("replayed to the byte; the bot was stopped");
  });

  it("are refused whole with the reason, and a bot goes on as it was", async () => {
    const bot = await startedBot();
    const cases: readonly (readonly [args: readonly string[], code: number, why: RegExp])[] = [
      [[`${SPREAD}=-3`], 2, /halfSpreadBps: is too low \(got -3\); expected .* above 0/],
      [[`${SPREAD}='5'`], 2, /write a number without quotes/],
      [[`${SPREAD}=5bps`], 2, /is of the wrong type/],
      [["decide.everyMs=300", `${SPREAD}=0`], 2, /halfSpreadBps: must not be zero/],
      [["markets.btcusdc.params.halfSpreadPct=1"], 2, /did you mean halfSpreadBps/],
      [["markets.btc.params.x=1"], 2, /is not a market of this bot/],
      [[`${SPREAD}=1e999`], 2, /halfSpreadBps: is not a finite number \(got "1e999"\)/],
      [[`${SPREAD}=.nan`], 2, /halfSpreadBps: is not a finite number/],
      [["risk.ladder=[{ at: .inf }]"], 2, /risk\.ladder: is not a finite number/],
      [["cockpit.port=1234"], 2, /cockpit\.port: cannot change while the bot runs: the page/],
      [["exchange.rest=http://127.0.0.1:1/v1"], 2, /cannot change while the bot runs/],
      [[`account.keyEnv=0x${"ab".repeat(32)}`], 2, /^(?!.*abab).*cannot change/s],
      [["markets.btcusdc.params.sizeBase=0.0205"], 2, /whole multiple of the step/],
      [["markets.btcusdc.limits.maxOrderBase=0.01"], 2, /below the size that the strategy quotes/],
      [["halfSpreadBps"], 2, /is not a change/],
      [["=5"], 2, /is not a change/],
      [[`${SPREAD}=`], 2, /has no value/],
      [[`${SPREAD}=[1`], 2, /is not valid YAML/],
      [[`${SPREAD}=1\nb: 2`], 2, /is more than one value/],
      [["markets..x=1"], 2, /is not a path/],
      [["__proto__.x=1"], 2, /is not a path/],
      [[], 2, /names no value/],
      [["--preview", "--save"], 2, /cannot be combined/],
    ];
    for (const [args, code, why] of cases) {
      const run = await bot.set(...args);
      expect(run.err, args.join(" ")).toMatch(why);
      expect(run).toMatchObject({ code, out: "" });
    }
    const { differsFromFile, phase } = await bot.status();
    expect({ differsFromFile, phase }).toEqual({ differsFromFile: [], phase: "running" });
    expect(await bot.stop()).toMatchObject({ code: 0 });
  });

  it("are saved to the file with its comments, and not over another's edit", async () => {
    const bot = await startedBot();
    chmodSync(bot.file, 0o640);
    const before = bot.text();
    const saved = await bot.set(`${SPREAD}=30`, "risk.maxLeverage=5", "--save");
    expect(saved.out).toMatch(/^2 values changed, and saved to the file\.\n/);
    expect(bot.text()).toBe(
      before
        .replace(
          "{ halfSpreadBps: 20, sizeBase: 0.02 } # wide",
          "{ halfSpreadBps: 30, sizeBase: 0.02 } # wide",
        )
        .replace("maxLoopLagMs: 60000 }", "maxLoopLagMs: 60000, maxLeverage: 5 }"),
    );
    expect(statSync(bot.file).mode & 0o777).toBe(0o640);
    expect((await bot.status()).differsFromFile).toEqual([]);

    // Somebody edits the same value, and another one.
    bot.edit("halfSpreadBps: 30", "halfSpreadBps: 33");
    bot.edit("maxPositionBase: 0.5", "maxPositionBase: 0.45");
    const conflict = await bot.set(`${SPREAD}=25`, "--save");
    expect(conflict).toMatchObject({ code: 2, out: "" });
    expect(conflict.err).toMatch(/was changed in the file since the bot read it: nothing was done/);
    expect((await bot.status()).differsFromFile).toEqual([
      { path: "markets.btcusdc.params.halfSpreadBps", running: "30", file: "33" },
      { path: "markets.btcusdc.limits.maxPositionBase", running: "0.5", file: "0.45" },
    ]);
    // Another value can be saved, and leaves both edits alone.
    expect(await bot.set("risk.maxLeverage=4", "--save")).toMatchObject({ code: 0 });
    expect(bot.text()).toMatch(
      /halfSpreadBps: 33,[\s\S]*maxPositionBase: 0\.45[\s\S]*maxLeverage: 4 /,
    );

    const reload = differenceOf(await bot.cli("reload", bot.file, "--json"));
    expect(reload.changes.map(({ path, after }) => [path, after])).toEqual([
      [SPREAD, "33"],
      ["markets.btcusdc.limits.maxPositionBase", "0.45"],
    ]);
    expect((await bot.status()).differsFromFile).toEqual([]);
    // A set without --save is saved by a later one.
    await bot.set("decide.everyMs=400");
    const later = await bot.set("--save");
    expect(later.out).toMatch(
      /^1 value that was set before is saved to the file\.\nsaved +file before +file now\ndecide\.everyMs +250 +400\n$/,
    );
    expect((await bot.set("--save")).out).toBe("The values in force are in the file already.\n");
    // A save lists an earlier value that it writes too.
    await bot.set("decide.everyMs=500");
    const both = await bot.set("risk.maxLeverage=3", "--save", "--json");
    expect(differenceOf(both)).toMatchObject({
      changes: [{ path: "risk.maxLeverage", before: "4", after: "3" }],
      saved: true,
      written: [
        { path: "decide.everyMs", before: "400", after: "500" },
        { path: "risk.maxLeverage", before: "4", after: "3" },
      ],
    });
    await bot.set("decide.everyMs=400", "--save");
    expect(bot.text()).toContain("decide: { everyMs: 400 }");
    expect(await bot.stop()).toMatchObject({ code: 0 });
  });

  it("are compared with the file as it is now: a broken or missing file is said", async () => {
    const bot = await startedBot();
    const whole = bot.text();
    bot.edit("timeInForce: POST_ONLY", "timeInForce: GTC");
    expect((await bot.status()).differsFromFile).toEqual([
      { path: "quotes.timeInForce", running: "POST_ONLY", file: "GTC" },
    ]);
    for (const preview of [[], ["--preview"]])
      expect(await bot.cli("reload", bot.file, ...preview)).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringMatching(/quotes\.timeInForce: cannot change while the bot runs/),
      });
    writeFileSync(bot.file, `${whole}broken: [\n`);
    expect(await bot.status()).toMatchObject({
      differsFromFile: [],
      fileProblem: expect.stringContaining("not valid YAML"),
    });
    expect((await bot.cli("status", bot.file)).out).toContain("the file cannot be compared");
    expect(await bot.cli("reload", bot.file)).toMatchObject({ code: 2 });
    expect(await bot.set(`${SPREAD}=25`, "--save")).toMatchObject({ code: 2, out: "" });
    expect(await bot.set(`${SPREAD}=25`)).toMatchObject({
      code: 0,
      out: expect.stringContaining("The file cannot be compared"),
    });
    rmSync(bot.file);
    expect((await bot.status()).fileProblem).toContain("does not exist");
    writeFileSync(bot.file, whole);
    expect((await bot.status()).differsFromFile).toEqual([
      { path: SPREAD, running: "25", file: "20" },
    ]);
    expect(await bot.stop()).toMatchObject({ code: 0 });
  });

  it("of several commands at once are one after the other: none is lost", async () => {
    const bot = await startedBot();
    const runs = await Promise.all([
      bot.set("decide.everyMs=300", "risk.maxLeverage=5"),
      bot.set("decide.minGapMs=30"),
      bot.set("decide.everyMs=0"),
      bot.set("risk.maxOpenOrders=50", "--save"),
      bot.set(`${SPREAD}=21`),
    ]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 2, 0, 0]);
    await bot.set("--save");
    expect((await bot.status()).differsFromFile).toEqual([]);
    const { decide, risk } = parse(bot.text());
    expect(decide).toEqual({ everyMs: 300, minGapMs: 30 });
    expect(risk).toMatchObject({ maxLeverage: 5, maxOpenOrders: 50 });
    expect(await bot.stop()).toMatchObject({ code: 0 });
  });

  it("change in a paper session with an end too, and never once a bot stops or has ended", async () => {
    const bot = await startedBot(["--dry-run", "--for", "1h"]);
    const set = differenceOf(await bot.set(`${SPREAD}=30`, "--json"));
    expect(set).toMatchObject({ state: "applied", markets: { btcusdc: { strategy: "kept" } } });
    const ended = bot.stop();
    const late = await bot.set(`${SPREAD}=40`);
    expect(late).toMatchObject({ code: 1, out: "" });
    expect(late.err).toMatch(/stopping|ending|no bot of this user/);
    expect(await ended).toMatchObject({ code: 0 });
    expect(await bot.set(`${SPREAD}=40`)).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /no bot of this user runs.*takes the file's values when it starts/,
      ),
    });
  });
});
