import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadBacktestConfig } from "#backtest/backtest-config.js";
import { littleCommonTime, requireCommonTime } from "#backtest/common-time.js";
import { openHistory } from "#backtest/open-history.js";
import { ConfigError } from "#core/errors.js";
import { DAY_MS } from "#core/units.js";
import type { Span } from "#history/spans.js";
import { generateHistory } from "../../support/generated-history.js";
import { BOT, FROM_MS, OneByOne, SWEEP, SweepStage } from "../sweep/sweep-stage.js";

const RULES = {
  tickSizeQuote: 0.1,
  stepSizeBase: 0.001,
  makerFeeRate: 0.0001,
  takerFeeRate: 0.0005,
};
const HALF_A_YEAR_MS = 182 * DAY_MS;
const SECONDS = 10;
const MARKETS = ["btcusdc", "ethusdc", "solusdc", "paused"] as const;

const POINT = { "fills.orderLatencyMs": { values: [5] } };

const stage = new SweepStage();
beforeAll(async () => {
  await stage.open(SECONDS);
  await generateHistory(stage.folder, {
    market: "ethusdc",
    fromMs: FROM_MS + HALF_A_YEAR_MS,
    seconds: SECONDS,
  });
  await generateHistory(stage.folder, {
    market: "solusdc",
    fromMs: FROM_MS + 9_000,
    seconds: SECONDS,
  });
  for (const day of [0, 1])
    await generateHistory(stage.folder, {
      market: "paused",
      fromMs: FROM_MS + day * DAY_MS,
      seconds: SECONDS,
    });
  stage.write("bot-many.yaml", {
    ...BOT,
    markets: Object.fromEntries(MARKETS.map((market) => [market, BOT.markets.btcusdc])),
  });
});
afterAll(() => rmSync(stage.folder, { recursive: true }));

/** Writes a backtest of some of the markets. */
function written(name: string, markets: readonly string[], history: object = {}): string {
  return stage.write(name, {
    history: {
      store: "history",
      markets: Object.fromEntries(markets.map((market) => [market, market])),
      ...history,
    },
    bot: "bot-many.yaml",
    rules: { markets: Object.fromEntries(markets.map((market) => [market, RULES])) },
  });
}

// Ten minutes of one market and ten of another, half a year apart, were played as half a year in
// which one of the two stood still.
describe("markets that were never recorded at the same time", () => {
  it.each(["books", "trades"])("are refused on %s, with the spans of both", async (grade) => {
    const opening = openHistory(
      loadBacktestConfig(written("apart.yaml", ["btcusdc", "ethusdc"], { grade }), {}),
    );
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(
      /history\.markets: btcusdc \(2026-01-05T12:00:00(\.\d+)?Z to 2026-01-05T12:00:09\.\d+Z\) and ethusdc \(2026-07-06T12:00:00(\.\d+)?Z to 2026-07-06T12:00:09\.\d+Z\) were never recorded at the same time; expected markets whose recordings overlap/,
    );
  });

  it("are refused in a window of a walk forward before anything is run", async () => {
    const runner = new OneByOne();
    written("bt-chain.yaml", ["paused", "solusdc"]);
    stage.write("chain.yaml", {
      ...SWEEP,
      backtest: "bt-chain.yaml",
      parameters: POINT,
      walkForward: { trainMs: 12_000, testMs: DAY_MS - 2_000 },
    });
    await expect(stage.run(stage.out(), runner, { file: "chain.yaml" })).rejects.toThrow(
      /paused \(.*\) and solusdc \(.*\) were never recorded at the same time in test0/,
    );
    expect(runner.ran).toEqual([]);
  });

  it("are accepted where they overlap for a moment, with a warning", async () => {
    const { markets, startUs, endUs } = await openHistory(
      loadBacktestConfig(written("touching.yaml", ["btcusdc", "solusdc"]), {}),
    );
    expect(littleCommonTime(markets, { fromUs: startUs, toUs: endUs })).toEqual([
      expect.stringMatching(
        /^the history has data of all of its markets for only \d(\.\d)? % of the run's time, 2026-01-05T12:00:09/,
      ),
    ]);
  });
});

describe("the time that markets have in common", () => {
  const span = { fromUs: 0, toUs: 100_000 };
  const market = (marketId: string, ...missingSpans: readonly Span[]) => ({
    marketId,
    missingSpans,
  });

  it("is checked for each two of them, and named with the window", () => {
    const many = [market("one", [50, 100]), market("two"), market("three", [0, 50])];
    expect(() => requireCommonTime(many, span, " in test2")).toThrow(
      /one \(.*\) and three \(.*\) were never recorded at the same time in test2/,
    );
    expect(() =>
      requireCommonTime([market("one", [51, 100]), market("three", [0, 50])], span),
    ).not.toThrow();
  });

  it("gives a warning where less than half of a run has it, for one market too", () => {
    expect(littleCommonTime([market("one", [10, 60])], span)).toEqual([]);
    expect(littleCommonTime([market("one", [10, 61])], span)).toEqual([
      expect.stringMatching(/data of its market for only 49 % of the run's time/),
    ]);
    expect(littleCommonTime([market("one", [0, 40]), market("two", [60, 100])], span)).toHaveLength(
      1,
    );
  });
});
