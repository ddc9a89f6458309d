import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadExchangeConfig } from "#cli/load-exchange-config.js";
import { BTC_CAPTURES, captureFigures } from "../../../scripts/flow/capture-figures.js";
import {
  FIGURE_NAMES,
  type FigureName,
  type FlowFigures,
  FlowMeasure,
  medianFigures,
} from "../../../scripts/flow/flow-measure.js";
import { syntheticFigures } from "../../../scripts/flow/synthetic-figures.js";
import { recordedCapture } from "./capture-fixture.js";

const side = (bestTicks: number, ...lots: number[]) => ({ bestTicks, lots });

describe("the figures of a market", () => {
  it("are medians of samples each second and of trades, and book changes per trade", () => {
    const measure = new FlowMeasure(0.001);
    measure.second(side(100, 5, 7), side(101, 9, 1));
    measure.second(side(100, 5, 7), side(103, 9, 1));
    measure.second(side(100, 50, 70), side(102, 90, 10));
    for (const lots of [2, 8, 4, 1]) measure.traded(lots);
    measure.changed(10);
    measure.changed(20);
    const figures = measure.figures();
    expect(figures).toMatchObject({ seconds: 3, trades: 4, spreadTicks: 2, changesPerTrade: 7.5 });
    // 1, 1, 5, 5, 7, 7, 9, 9, 10, 50, 70, 90 lots.
    expect(figures.levelBase).toBeCloseTo(0.008, 12);
    expect(figures.tradeBase).toBeCloseTo(0.003, 12);
    // 10, 10, 12, 12, 100, 120 lots.
    expect(figures.tenLevelsBase).toBeCloseTo(0.012, 12);
  });

  it("count busy seconds that follow each other as correlated, and those that alternate as the opposite", () => {
    const of = (moves: readonly number[]) => {
      const measure = new FlowMeasure(1);
      let price = 1_000_000;
      for (const move of moves) {
        price += move;
        measure.second(side(price, 1), side(price + 1, 1));
      }
      return measure.figures().autocorrelation;
    };
    expect(
      of(Array.from({ length: 400 }, (_, at) => (at % 40 < 20 ? 9 : 1) * (at % 2 ? 1 : -1))),
    ).toBeGreaterThan(0.8);
    expect(of(Array.from({ length: 400 }, (_, at) => (at % 2 ? 9 : 1)))).toBeLessThan(-0.9);
  });

  it("leave out a second with an empty side, and the returns before and after it", () => {
    const measure = new FlowMeasure(1);
    for (const price of [100, 110, Number.NaN, 300, 330, 363])
      measure.second(side(price, ...(Number.isNaN(price) ? [] : [1])), side(price + 1, 1));
    expect(measure.figures().seconds).toBe(6);
    expect(Number.isFinite(measure.figures().autocorrelation)).toBe(true);
    expect(measure.figures().spreadTicks).toBe(1);
  });
});

describe("the default exchange's synthetic flow", () => {
  it("is within a factor of two of the recorded BTC perpetuals' median in each of its figures", async ({
    skip,
  }) => {
    const recorded: FlowFigures[] = [];
    for (const capture of BTC_CAPTURES) {
      const files = recordedCapture(capture.tag);
      if (files === null) return skip("no recorded data");
      recorded.push(await captureFigures(files, capture));
    }
    const median = medianFigures(recorded);
    const config = loadExchangeConfig(
      fileURLToPath(new URL("../../../config/exchange.yaml", import.meta.url)),
    );
    const { btcusdc } = config.markets;
    const found = (await syntheticFigures({ ...config, markets: { btcusdc } }, 20)).get("btcusdc");
    if (found === undefined) throw new Error("the default exchange has no BTC market");
    for (const name of Object.keys(FIGURE_NAMES) as FigureName[]) {
      expect.soft(found[name] / median[name], FIGURE_NAMES[name]).toBeGreaterThan(0.5);
      expect.soft(found[name] / median[name], FIGURE_NAMES[name]).toBeLessThan(2);
    }
  });
});
