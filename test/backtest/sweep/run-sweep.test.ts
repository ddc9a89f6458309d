import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Decimal } from "decimal.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadBacktestConfig } from "#backtest/backtest-config.js";
import { extractFigures, type Figures } from "#backtest/figures.js";
import type { Job } from "#backtest/job-player.js";
import type { JobRunner } from "#backtest/job-runner.js";
import { openHistory } from "#backtest/open-history.js";
import { playReport } from "#backtest/play-path.js";
import { ResultsFile } from "#backtest/results-file.js";
import type { SweepOutcome } from "#backtest/run-sweep.js";
import { SWEEP_FILES } from "#backtest/sweep-folder.js";
import {
  SWEEP_FORMAT,
  sweepJsonParts,
  sweepJsonSchema,
  sweepJsonShape,
} from "#backtest/sweep-json.js";
import { bindStrategies, loadStrategies } from "#bot/market-strategies.js";
import { ConfigError, RunError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { openLog } from "#monitoring/log.js";
import { OneByOne, SHORT_SECONDS, SWEEP, SweepStage, VERSION } from "./sweep-stage.js";

const LOG = openLog({ level: "silent", clock: createLiveRuntime().clock });
const stage = new SweepStage();
let whole: SweepOutcome;
let bytes: string;
beforeAll(async () => {
  await stage.open();
  whole = (await stage.run(stage.out(), new OneByOne())) as SweepOutcome;
  bytes = readFileSync(whole.json, "utf8");
});
afterAll(() => rmSync(stage.folder, { recursive: true, force: true }));

describe("a sweep", () => {
  it("gives each point the figures of a backtest with its values, and ranks them", async () => {
    const { points, best, format } = whole.result;
    expect([format, points.length]).toEqual([SWEEP_FORMAT, 6]);
    expect(sweepJsonShape.parse(JSON.parse(bytes))).toEqual(whole.result);
    expect(bytes).toBe(`${JSON.stringify(whole.result)}\n`);
    const point = points[4];
    expect(point?.values).toEqual({
      "markets.btcusdc.params.halfSpreadBps": 0.1,
      "fills.orderLatencyMs": 5,
    });
    const bot = botFile();
    bot.markets.btcusdc.params.halfSpreadBps = 0.1;
    stage.write("bot-4.yaml", bot);
    const file = stage.write("bt-4.yaml", {
      ...stage.backtest(SHORT_SECONDS),
      bot: "bot-4.yaml",
      fills: { orderLatencyMs: 5 },
    });
    const config = loadBacktestConfig(file, {});
    const strategies = bindStrategies(config.bot, await loadStrategies(config.bot, LOG));
    const report = await playReport(
      config,
      { strategies, version: VERSION },
      await openHistory(config),
      "ohlc",
    );
    expect(point?.runs[0]?.figures).toEqual(extractFigures(report));
    expect(Number(report.fills.all.fills)).toBeGreaterThan(0);
    const profits = [...points]
      .sort((a, b) => a.rank - b.rank)
      .map(({ runs }) => new Decimal(runs[0]?.figures.profit ?? 0));
    for (const [at, profit] of profits.slice(1).entries())
      expect(profit.lte(profits[at] as Decimal)).toBe(true);
    expect(points[best]?.rank).toBe(1);
    expect(new Set(points.map(({ runs }) => runs[0]?.figures.profit)).size).toBeGreaterThan(2);
  });

  it("is written in parts of one point each, in lines or in one: all points of a long sweep exceed one string", () => {
    for (const indent of [0, 2, 4]) {
      const parts = [...sweepJsonParts(whole.result, indent)];
      expect(parts.join("")).toBe(`${JSON.stringify(whole.result, undefined, indent)}\n`);
      expect(parts.length).toBeGreaterThan(whole.result.points.length);
    }
    const none = { ...whole.result, points: [] };
    expect([...sweepJsonParts(none, 2)].join("")).toBe(`${JSON.stringify(none, undefined, 2)}\n`);
  });

  it("gives the same bytes in whatever order its jobs end", async () => {
    const backwards = (await stage.run(
      stage.out(),
      new OneByOne({ backwards: true }),
    )) as SweepOutcome;
    expect(readFileSync(backwards.json, "utf8")).toBe(bytes);
    expect(readFileSync(backwards.html, "utf8")).toBe(readFileSync(whole.html, "utf8"));
  });

  it("continues where it stopped after any job, runs none of them twice, and gives the same bytes", async () => {
    for (const jobs of [1, 3, 5]) {
      const out = stage.out();
      const abort = new AbortController();
      const first = new OneByOne({ after: (ran) => ran === jobs && abort.abort() });
      expect(await stage.run(out, first, { signal: abort.signal })).toBeUndefined();
      // Killed in the middle of the next line.
      appendFileSync(join(out, SWEEP_FILES.results), '{"job":"whole-5","figures":{"prof');
      const second = new OneByOne();
      const outcome = (await stage.run(out, second)) as SweepOutcome;
      expect([...first.ran, ...second.ran].sort()).toEqual(
        [0, 1, 2, 3, 4, 5].map((at) => `whole-${at}`),
      );
      expect(readFileSync(outcome.json, "utf8")).toBe(bytes);
    }
  });

  it("reruns nothing to rank by another figure, and begins again only on request", async () => {
    const out = stage.out();
    await stage.run(out, new OneByOne());
    stage.write("sweep-2.yaml", { ...SWEEP, objective: "maxDrawdown" });
    const again = new OneByOne();
    const ranked = (await stage.run(out, again, { file: "sweep-2.yaml" })) as SweepOutcome;
    expect(again.ran).toEqual([]);
    expect(ranked.result.objective).toEqual({ figure: "maxDrawdown", goal: "minimise" });
    const falls = ranked.result.points.map(({ runs }) => Number(runs[0]?.figures.maxDrawdown));
    expect(Number(ranked.result.points[ranked.result.best]?.objective)).toBe(Math.min(...falls));
    stage.write("sweep-3.yaml", {
      ...SWEEP,
      parameters: { "fills.orderLatencyMs": { values: [7] } },
    });
    await expect(stage.run(out, new OneByOne(), { file: "sweep-3.yaml" })).rejects.toThrow(
      /--out: holds the results of another sweep.*--replace/,
    );
    const anew = (await stage.run(out, new OneByOne(), {
      file: "sweep-3.yaml",
      replace: true,
    })) as SweepOutcome;
    expect(anew.result.points).toHaveLength(1);
  });

  // The old page would be taken for the result of the new files.
  it("has nothing of another sweep beside its own results, and no report of a point that is not the best one", async () => {
    const out = stage.out();
    const first = (await stage.run(out, new OneByOne())) as SweepOutcome;
    const bestOf = (what: string): void => {
      mkdirSync(join(out, "best"), { recursive: true });
      writeFileSync(join(out, "best", "report.json"), what);
    };
    bestOf("of the first sweep's best point");
    await stage.run(out, new OneByOne());
    expect(readdirSync(out).sort()).toEqual(["best", "results.jsonl", "sweep.html", "sweep.json"]);
    stage.write("sweep-worst.yaml", { ...SWEEP, goal: "minimise" });
    const other = (await stage.run(out, new OneByOne(), {
      file: "sweep-worst.yaml",
    })) as SweepOutcome;
    expect(other.result.best).not.toBe(first.result.best);
    expect(readdirSync(out).sort()).toEqual(["results.jsonl", "sweep.html", "sweep.json"]);
    bestOf("of the first sweep's worst point");
    stage.write("sweep-other.yaml", {
      ...SWEEP,
      parameters: { "fills.orderLatencyMs": { values: [7, 8] } },
    });
    const abort = new AbortController();
    const interrupted = new OneByOne({ after: () => abort.abort() });
    await stage.run(out, interrupted, {
      file: "sweep-other.yaml",
      replace: true,
      signal: abort.signal,
    });
    expect(readdirSync(out)).toEqual(["results.jsonl"]);
  });

  // In columns of another grid each price is ten times another one, and so is the profit.
  it("reads the history by each point's own grid of prices and sizes", async () => {
    const ticks = { path: "rules.markets.btcusdc.tickSizeQuote", values: [0.1, 0.01] };
    stage.write("grids.yaml", {
      backtest: "bt.yaml",
      method: "grid",
      parameters: { [ticks.path]: { values: ticks.values } },
    });
    const { result } = (await stage.run(stage.out(), new OneByOne(), {
      file: "grids.yaml",
    })) as SweepOutcome;
    for (const [at, tickSizeQuote] of ticks.values.entries()) {
      const backtest = stage.backtest(SHORT_SECONDS) as {
        readonly rules: { readonly markets: { readonly btcusdc: object } };
      };
      const rules = { markets: { btcusdc: { ...backtest.rules.markets.btcusdc, tickSizeQuote } } };
      const config = loadBacktestConfig(stage.write("bt-grid.yaml", { ...backtest, rules }), {});
      const strategies = bindStrategies(config.bot, await loadStrategies(config.bot, LOG));
      const report = await playReport(
        config,
        { strategies, version: VERSION },
        await openHistory(config),
        "ohlc",
      );
      expect(result.points[at]?.runs[0]?.figures).toEqual(extractFigures(report));
    }
  });

  // It would end with no fill and a profit of zero, ahead of every loss.
  it("refuses a point whose warm-up leaves nothing to report, before anything runs", async () => {
    const runner = new OneByOne();
    const parameters = { warmupMs: { values: [0, 3_600_000] } };
    stage.write("warm.yaml", { backtest: "bt.yaml", method: "grid", parameters });
    const told = stage.run(stage.out(), runner, { file: "warm.yaml" });
    await expect(told).rejects.toThrow(
      /^parameters\.warmupMs: cannot be set: .*is as long as the history and leaves nothing to report.*point 1: warmupMs 3600000/,
    );
    const walkForward = { trainMs: 20_000, testMs: 15_000 };
    stage.write("walk-long.yaml", {
      backtest: "bt-whole.yaml",
      method: "grid",
      parameters: { warmupMs: { values: [0, 20_000] } },
      walkForward,
    });
    await expect(stage.run(stage.out(), runner, { file: "walk-long.yaml" })).rejects.toThrow(
      /point 1: warmupMs 20000/,
    );
    expect(runner.ran).toEqual([]);
  });

  it("walks forward: the best of each train window is run on the window after it, and nothing else is", async () => {
    const walkForward = { trainMs: 20_000, testMs: 12_000, stepMs: 14_000 };
    stage.write("walk.yaml", { ...SWEEP, backtest: "bt-whole.yaml", walkForward });
    const runner = new OneByOne();
    const { result } = (await stage.run(stage.out(), runner, {
      file: "walk.yaml",
    })) as SweepOutcome;
    const splits = result.walkForward?.splits ?? [];
    expect(
      splits.map(({ train, test }) =>
        [train.from, train.to, test.to].map((at) => at.slice(17, 19)),
      ),
    ).toEqual([
      ["00", "20", "32"],
      ["14", "34", "46"],
      ["28", "48", "00"],
    ]);
    expect(runner.ran.filter((id) => id.startsWith("test"))).toEqual(
      splits.map(({ best }, at) => `test${at}-${best}`),
    );
    expect(runner.ran.filter((id) => id.startsWith("train"))).toHaveLength(18);
    for (const [at, { best, trained }] of splits.entries()) {
      const profits = result.points.map(({ runs }) => new Decimal(runs[at]?.figures.profit ?? 0));
      expect(trained.figures).toEqual(result.points[best]?.runs[at]?.figures);
      expect(profits.every((profit) => profit.lte(trained.figures.profit ?? 0))).toBe(true);
    }
    const tested = splits.reduce(
      (sum, split) => sum.add(split.tested.figures.profit ?? 0),
      new Decimal(0),
    );
    expect(result.walkForward?.tested.profit).toBe(tested.toFixed());
    expect(result.best).toBe(splits.at(-1)?.best);
  });

  // Without a warm-up before it, a test window would lose its first part to the warm-up, and the
  // joined result would have holes.
  it("runs a test's warm-up before its window, so that the windows join without holes", async () => {
    const walkForward = { trainMs: 20_000, testMs: 15_000 };
    stage.write("walk-warm.yaml", {
      backtest: "bt-whole.yaml",
      method: "grid",
      parameters: { warmupMs: { values: [2_000, 5_000] } },
      walkForward,
    });
    const played: Job[] = [];
    class Noting extends OneByOne {
      override run(...[batch, ...rest]: Parameters<JobRunner["run"]>): Promise<void> {
        played.push(...batch.jobs);
        return super.run(batch, ...rest);
      }
    }
    const { result } = (await stage.run(stage.out(), new Noting(), {
      file: "walk-warm.yaml",
    })) as SweepOutcome;
    const measuredFrom = (kind: string): number[] =>
      played
        .filter(({ id }) => id.startsWith(kind))
        .map(({ config: { history, warmupMs } }) => (history.fromUs as number) / 1000 + warmupMs);
    const splits = result.walkForward?.splits ?? [];
    expect(splits).toHaveLength(2);
    expect(measuredFrom("test")).toEqual(splits.map(({ test }) => Date.parse(test.from)));
    expect(splits.map(({ tested }) => tested.figures.fills)).not.toContain(0);
    const [train] = splits;
    expect(measuredFrom("train0")).toEqual(
      [2_000, 5_000].map((warmupMs) => Date.parse(train?.train.from ?? "") + warmupMs),
    );
  });

  it("touches no folder that is not a sweep's, and shares none with another process", async () => {
    const foreign = join(stage.folder, "generated");
    await expect(stage.run(foreign, new OneByOne(), { replace: true })).rejects.toThrow(
      ConfigError,
    );
    await expect(stage.run(join(stage.folder, "bot.yaml"), new OneByOne())).rejects.toThrow(
      /--out: is not a folder/,
    );
    const out = stage.out();
    const held = new ResultsFile(out, "a", false);
    // The lock names a running process: this one.
    expect(() => new ResultsFile(out, "a", false)).toThrow(/one sweep in a folder at a time/);
    held.close();
  });
});

describe("the results of a sweep on the disk", () => {
  const result = (profit: string) => ({
    figures: { profit } as unknown as Figures,
    ended: "end-of-history" as const,
    doubts: [],
  });

  it("count each job once, and lose at most the line that a kill cut, wherever it cut", () => {
    const out = stage.out();
    const file = new ResultsFile(out, "print", false);
    for (const [at, profit] of ["1", "-2.5", "3"].entries())
      file.add(`whole-${at}`, result(profit));
    file.add("whole-1", result("99"));
    file.close();
    const path = join(out, SWEEP_FILES.results);
    const text = readFileSync(path, "utf8");
    expect(text.split("\n")).toHaveLength(5);
    const ends = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
    for (let cut = 0; cut <= text.length; cut++) {
      writeFileSync(path, text.slice(0, cut));
      const again = new ResultsFile(out, "print", false);
      expect(again.done.size).toBe(Math.max(0, ends.filter((end) => end <= cut).length - 1));
      for (const [at, profit] of ["1", "-2.5", "3"].entries())
        again.add(`whole-${at}`, result(profit));
      again.close();
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });

  it("name a line that is broken in the middle", () => {
    const out = stage.out();
    new ResultsFile(out, "print", false).close();
    appendFileSync(join(out, SWEEP_FILES.results), 'nonsense\n{"job":"whole-1"}\n');
    expect(() => new ResultsFile(out, "print", false)).toThrow(RunError);
    expect(() => new ResultsFile(out, "print", false)).toThrow(/results.jsonl line 2: is broken/);
    // With `replace` the sweep begins again; the lock is free.
    expect(() => new ResultsFile(out, "other", false)).toThrow(ConfigError);
  });
});

it("publishes the shape of sweep.json", () => {
  expect(readFileSync(new URL("../../../config/sweep.schema.json", import.meta.url), "utf8")).toBe(
    sweepJsonSchema(),
  );
});

it("names the file that the disk refuses, and leaves the folder free", async () => {
  const out = stage.out();
  mkdirSync(out);
  const results = join(out, SWEEP_FILES.results);
  symlinkSync(join(out, "nowhere", "results"), results);
  const ended = await stage.run(out, new OneByOne()).catch((error: unknown) => error);
  expect(ended).toBeInstanceOf(RunError);
  expect(ended).toMatchObject({
    field: results,
    expected: "a writable disk with free space",
  });
  expect(readdirSync(out)).toEqual([SWEEP_FILES.results]);
});

it("runs the example, config/sweep.yaml, on a store that was filled meanwhile", async () => {
  for (const file of ["sweep.yaml", "backtest.yaml", "minimal.yaml"]) {
    const written = parse(
      readFileSync(new URL(`../../../config/${file}`, import.meta.url), "utf8"),
    );
    // Fewer points of the same sequence; the store is beside, not above.
    if (file === "sweep.yaml") written.count = 4;
    if (file === "backtest.yaml") written.history.store = "history";
    stage.write(file === "sweep.yaml" ? "example.yaml" : file, written);
  }
  const { result } = (await stage.run(stage.out(), new OneByOne(), {
    file: "example.yaml",
  })) as SweepOutcome;
  expect(result.points.map(({ values }) => Object.values(values))).toEqual([
    [0.5, 1, "risk-averse"],
    [2, 3, "power-2"],
    [4, 2, "risk-averse"],
    [1, 4, "power-2"],
  ]);
  // The part of the example's years that the store has.
  expect(result.windows).toEqual([
    { name: "whole", from: "2026-01-05T12:00:00.000000Z", to: "2026-01-05T12:01:00.900000Z" },
  ]);
});

function botFile(): { markets: { btcusdc: { params: { halfSpreadBps: number } } } } {
  return parse(readFileSync(join(stage.folder, "bot.yaml"), "utf8"));
}
