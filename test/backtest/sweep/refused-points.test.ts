import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SweepOutcome } from "#backtest/run-sweep.js";
import { sweepJsonShape } from "#backtest/sweep-json.js";
import { sweepPage } from "#backtest/sweep-page.js";
import { OneByOne, SHORT_SECONDS, SWEEP, SweepStage } from "./sweep-stage.js";

describe("a point of a sweep that the market would refuse", () => {
  const stage = new SweepStage();
  const SIZE = "markets.btcusdc.params.sizeBase";
  const TICK = "rules.markets.btcusdc.tickSizeQuote";
  beforeAll(async () => {
    await stage.open(SHORT_SECONDS);
  });
  afterAll(() => rmSync(stage.folder, { recursive: true, force: true }));

  // A bot with it would not start, and here it would quote nothing: a profit of zero, ahead of
  // every loss.
  it("is refused alone, with the reason, and ranks behind all points that ran", async () => {
    const out = stage.out();
    stage.write("sizes.yaml", {
      ...SWEEP,
      parameters: { [SIZE]: { values: [0.0105, 0.01, 0.0305] } },
    });
    const runner = new OneByOne();
    const outcome = (await stage.run(out, runner, { file: "sizes.yaml" })) as SweepOutcome;
    expect(runner.ran).toEqual(["whole-1"]);
    expect(outcome.result.best).toBe(1);
    const [off, fine] = outcome.result.points;
    expect([off?.rank, fine?.rank]).toEqual([2, 1]);
    expect(off).toMatchObject({
      objective: null,
      runs: [{ ended: "refused", figures: { profit: null, fills: null } }],
    });
    expect(off?.runs[0]?.reason).toBe(
      `${SIZE}: is off the market's grid (got 0.0105); expected a whole multiple of the step 0.001, such as 0.01 or 0.011`,
    );
    const json = readFileSync(outcome.json, "utf8");
    expect(sweepJsonShape.parse(JSON.parse(json))).toEqual(outcome.result);
    expect(sweepPage(outcome.result)).toContain(
      "2 of 3 points ended early in a window, or were refused; the table shows why.",
    );
    // The same from what the folder has.
    await stage.run(out, new OneByOne(), { file: "sizes.yaml" });
    expect(readFileSync(join(out, "sweep.json"), "utf8")).toBe(json);
  });

  it("is one with a grid that the history's prices do not fit", async () => {
    stage.write("ticks.yaml", { ...SWEEP, parameters: { [TICK]: { values: [0.25, 0.1] } } });
    const { result } = (await stage.run(stage.out(), new OneByOne(), {
      file: "ticks.yaml",
    })) as SweepOutcome;
    expect(result.best).toBe(1);
    expect(result.points[0]?.runs[0]).toMatchObject({
      ended: "refused",
      reason: expect.stringMatching(
        /^btcusdc\/\w+\/2026-01-05\.parquet: row \d+: price is off the grid .*the tick size 0\.25$/,
      ),
    });
  });

  it("ends the sweep with its values where every point is refused", async () => {
    stage.write("none.yaml", {
      ...SWEEP,
      parameters: { [TICK]: { values: [0.25] }, "fills.orderLatencyMs": { values: [5, 7] } },
    });
    await expect(stage.run(stage.out(), new OneByOne(), { file: "none.yaml" })).rejects.toThrow(
      /^parameters: the market accepts no point: point 0 \(.*tickSizeQuote 0\.25, fills\.orderLatencyMs 5\) is refused: .*off the grid/,
    );
  });
});
