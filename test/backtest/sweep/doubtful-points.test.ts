import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SweepOutcome } from "#backtest/run-sweep.js";
import { SWEEP_FILES } from "#backtest/sweep-folder.js";
import { sweepJsonShape } from "#backtest/sweep-json.js";
import { sweepPage } from "#backtest/sweep-page.js";
import { sweepWarnings } from "#backtest/sweep-warnings.js";
import { warningMark } from "#backtest/warning-text.js";
import { BOT, OneByOne, SHORT_SECONDS, SWEEP, SweepStage } from "./sweep-stage.js";

const SIZE = "markets.btcusdc.params.sizeBase";

// A trade of one lot beyond a quote fills all of it, so figures grow with the size past anything
// that the market had. Ranked by turnover, the largest size is first and means nothing.
describe("a point of a sweep whose fills exceed its market", () => {
  const stage = new SweepStage();
  let outcome: SweepOutcome;
  let out: string;
  beforeAll(async () => {
    await stage.open();
    const { btcusdc } = BOT.markets;
    stage.write("bot.yaml", {
      ...BOT,
      markets: {
        btcusdc: {
          ...btcusdc,
          params: { ...btcusdc.params, halfSpreadBps: 0.05 },
          limits: { maxPositionBase: 500, maxOrderBase: 50 },
        },
      },
    });
    stage.write("bt.yaml", { ...stage.backtest(SHORT_SECONDS), account: { creditQuote: 1e9 } });
    stage.write("bt-whole.yaml", { ...stage.backtest(60), account: { creditQuote: 1e9 } });
    stage.write("sizes.yaml", {
      ...SWEEP,
      objective: "turnover",
      parameters: { [SIZE]: { values: [0.001, 50, 20] } },
    });
    out = stage.out();
    outcome = (await stage.run(out, new OneByOne(), { file: "sizes.yaml" })) as SweepOutcome;
  });
  afterAll(() => rmSync(stage.folder, { recursive: true, force: true }));

  it("says so in sweep.json, with the reason that a backtest of it gives", () => {
    const { points, best } = outcome.result;
    expect(best).toBe(1);
    expect(points.map(({ runs }) => runs[0]?.doubts)).toEqual([
      [],
      [
        expect.stringMatching(
          /^btcusdc: its resting orders had [\d.]+ base, [\d.]+ times the [\d.]+ that traded/,
        ),
      ],
      [expect.stringMatching(/^btcusdc: its resting orders had/)],
    ]);
    expect(sweepJsonShape.parse(JSON.parse(readFileSync(outcome.json, "utf8")))).toEqual(
      outcome.result,
    );
  });

  it("is named before the ranking, with the best point that has fills and no warning", () => {
    const [chosen, ranking, ...more] = sweepWarnings(outcome.result);
    expect(chosen).toBe(
      `The best point, 1, may be too optimistic: ${outcome.result.points[1]?.runs[0]?.doubts[0]}`,
    );
    expect(ranking).toBe(
      "2 of the best 3 points have warnings, and 2 of all 3: the best point with fills and without warnings is 0, rank 3",
    );
    expect(more).toEqual([]);
    const page = sweepPage(outcome.result);
    expect(page).toMatch(
      /class="warning" role="note">The best point, 1, may be too optimistic: btcusdc/,
    );
    expect(page).toMatch(/class="warning" role="note">2 of the best 3 points have warnings/);
  });

  // A point that never trades has no warning, and ranks first where every trade loses.
  it("does not name a point without fills as the best without warnings", () => {
    const { result } = outcome;
    const points = result.points.map((point) =>
      point.index !== 0
        ? point
        : {
            ...point,
            rank: 1,
            runs: point.runs.map((run) => ({ ...run, figures: { ...run.figures, fills: 0 } })),
          },
    );
    expect(sweepWarnings({ ...result, points }).at(-1)).toMatch(
      /2 of all 3: every point with fills has warnings$/,
    );
  });

  it("is reported too when a sweep continues from its folder", async () => {
    const again = new OneByOne();
    const resumed = (await stage.run(out, again, { file: "sizes.yaml" })) as SweepOutcome;
    expect(again.ran).toEqual([]);
    expect(resumed.result).toEqual(outcome.result);
  });

  // Its lines have no warnings: read as if there were none, the overstated point would look sound.
  it("is not taken for sound from results without stored warnings: they are another sweep's", async () => {
    const older = stage.out();
    await stage.run(older, new OneByOne(), { file: "sizes.yaml" });
    const path = join(older, SWEEP_FILES.results);
    const [header = "", ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
    const was = lines.map((line) => JSON.stringify({ ...JSON.parse(line), doubts: undefined }));
    writeFileSync(path, `${[header.replace("results/2", "results/1"), ...was].join("\n")}\n`);
    await expect(stage.run(older, new OneByOne(), { file: "sizes.yaml" })).rejects.toThrow(
      /--out: holds the results of another sweep/,
    );
    // Nor a line that lost them.
    writeFileSync(path, `${[header, ...was].join("\n")}\n`);
    await expect(stage.run(older, new OneByOne(), { file: "sizes.yaml" })).rejects.toThrow(
      /line 2: is broken/,
    );
  });

  it("is named where it was chosen for a test window, whose profit is the main figure", async () => {
    const walkForward = { trainMs: 20_000, testMs: 20_000 };
    const parameters = { [SIZE]: { values: [50, 20] } };
    stage.write("walk.yaml", {
      ...SWEEP,
      backtest: "bt-whole.yaml",
      objective: "turnover",
      parameters,
      walkForward,
    });
    const { result } = (await stage.run(stage.out(), new OneByOne(), {
      file: "walk.yaml",
    })) as SweepOutcome;
    const splits = result.walkForward?.splits ?? [];
    expect(splits.map(({ tested }) => tested.doubts.length)).toEqual([1, 1]);
    const [chosen, tested, ranking] = sweepWarnings(result);
    expect(warningMark(result.points[0]?.runs ?? [])).toBe("2 of 2");
    expect(chosen).toMatch(
      /^The best point, 0, may be too optimistic: in 2 of 2 windows, for example btcusdc/,
    );
    expect(tested).toMatch(
      /^The profit on the test windows may be too optimistic: in 2 of 2 windows, for example btcusdc/,
    );
    expect(ranking).toBe(
      "2 of the best 2 points have warnings, and 2 of all 2: every point with fills has warnings",
    );
    expect(sweepPage(result)).toContain("warnings, test");
  });

  // Makers' fees for orders that may have taken: first of a ranking by the rule alone.
  it("includes one whose fees depend on an optimistic rule", async () => {
    const parameters = { "fills.doubtful": { values: ["conservative", "by-book"] } };
    stage.write("bot-takes.yaml", { ...BOT, quotes: { timeInForce: "GTC" } });
    stage.write("bt-takes.yaml", { ...stage.backtest(SHORT_SECONDS), bot: "bot-takes.yaml" });
    stage.write("rules.yaml", { ...SWEEP, backtest: "bt-takes.yaml", parameters });
    const { result } = (await stage.run(stage.out(), new OneByOne(), {
      file: "rules.yaml",
    })) as SweepOutcome;
    expect(result.best).toBe(1);
    expect(
      result.points.map(
        ({ runs }) => runs[0]?.doubts.filter((doubt) => doubt.includes("too high by up to")).length,
      ),
    ).toEqual([0, 1]);
  });

  // A Sharpe ratio needs ten whole days: with fewer no point has one, and the first would appear as
  // the best of all.
  it("is not the first of a ranking by a figure that no point has: nothing is chosen, and the page says so", async () => {
    const parameters = { [SIZE]: { values: [0.001, 0.002] } };
    stage.write("sharpe.yaml", { ...SWEEP, objective: "sharpe", parameters });
    const { result } = (await stage.run(stage.out(), new OneByOne(), {
      file: "sharpe.yaml",
    })) as SweepOutcome;
    const told =
      "No point has a Sharpe ratio: the first point is shown as the best, but none was chosen";
    expect([result.best, sweepWarnings(result)]).toEqual([0, [told]]);
    expect(sweepPage(result)).toContain(told);
    stage.write("walk-sharpe.yaml", {
      ...SWEEP,
      objective: "sharpe",
      backtest: "bt-whole.yaml",
      parameters,
      walkForward: { trainMs: 20_000, testMs: 20_000 },
    });
    const walked = (await stage.run(stage.out(), new OneByOne(), {
      file: "walk-sharpe.yaml",
    })) as SweepOutcome;
    expect(sweepWarnings(walked.result)).toContain(
      "No point has a Sharpe ratio in 2 of 2 train windows: the first point is shown as the best, but none was chosen",
    );
  });
});

// Quotes that are never filled lose nothing, and rank ahead of every loss.
it("warns that the best point of a sweep did nothing", async () => {
  const stage = await new SweepStage().open(SHORT_SECONDS);
  const parameters = { "markets.btcusdc.params.halfSpreadBps": { values: [0.01, 500] } };
  stage.write("idle.yaml", { ...SWEEP, objective: "maxDrawdown", parameters });
  const { result } = (await stage.run(stage.out(), new OneByOne(), {
    file: "idle.yaml",
  })) as SweepOutcome;
  expect(result.best).toBe(1);
  expect(sweepWarnings(result)[0]).toBe(
    "The best point, 1, had no fill: a bot that does nothing has the same result",
  );
  rmSync(stage.folder, { recursive: true, force: true });
});
