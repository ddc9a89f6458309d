import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { generateHistory } from "../../support/generated-history.js";
import { BOT, FROM_MS, OneByOne, SWEEP, SweepStage } from "./sweep-stage.js";

const stage = new SweepStage();
const rules = {
  tickSizeQuote: 0.1,
  stepSizeBase: 0.001,
  makerFeeRate: 0.0001,
  takerFeeRate: 0.0005,
};

beforeAll(async () => {
  await stage.open(40);
  await generateHistory(stage.folder, {
    market: "ethusdc",
    fromMs: FROM_MS,
    seconds: 20,
    seed: "2",
  });
  const { btcusdc } = BOT.markets;
  stage.write("bot-two.yaml", { ...BOT, markets: { btcusdc, ethusdc: btcusdc } });
  const markets = { btcusdc: "btcusdc", ethusdc: "ethusdc" };
  stage.write("bt-two.yaml", {
    history: { store: "history", markets },
    bot: "bot-two.yaml",
    rules: { markets: { btcusdc: rules, ethusdc: rules } },
  });
});
afterAll(() => rmSync(stage.folder, { recursive: true }));

// A walk over two markets of which one ends sooner ran for hours, and failed at its first window
// without that one. With another span everything had to run again.
it("refuses a walk forward with a window that a market has no record of, before it runs anything", async () => {
  const runner = new OneByOne();
  stage.write("beyond.yaml", {
    ...SWEEP,
    backtest: "bt-two.yaml",
    walkForward: { trainMs: 10_000, testMs: 5_000 },
  });
  await expect(stage.run(stage.out(), runner, { file: "beyond.yaml" })).rejects.toThrow(
    /history\.markets\.ethusdc: has no data in a window \(got "test2, 2026-01-05T12:00:20Z to 2026-01-05T12:00:25Z"\)/,
  );
  expect(runner.ran).toEqual([]);
});

it("accepts one whose last window reaches past the end of a market", async () => {
  const runner = new OneByOne();
  stage.write("across.yaml", {
    ...SWEEP,
    backtest: "bt-two.yaml",
    walkForward: { trainMs: 10_000, testMs: 25_000 },
  });
  expect(
    (await stage.run(stage.out(), runner, { file: "across.yaml" }))?.result.walkForward?.splits,
  ).toHaveLength(1);
});
