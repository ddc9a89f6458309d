import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadBotConfig } from "#bot/config.js";
import { checkOnGrid } from "#bot/config-grid.js";
import { formatLossRules } from "#bot/explain-losses.js";
import { ladderRungsFor } from "#bot/ladder-rungs.js";
import { ConfigError } from "#core/errors.js";
import { stageRules } from "../backtest/engine/replay-stage.js";

const env = { MARKETWRIGHT_KEY: `0x${"1f".repeat(32)}` };
const folder = mkdtempSync(join(tmpdir(), "marketwright-ladder-config-"));

function load(risk: string, limits = "maxPositionBase: 0.5") {
  const path = join(folder, "bot.yaml");
  writeFileSync(
    path,
    `exchange: { rest: "http://127.0.0.1:8620/v1", stream: "ws://127.0.0.1:8620/v1" }
account: { keyEnv: MARKETWRIGHT_KEY }
quotes: { timeInForce: POST_ONLY }
markets:
  btcusdc: { strategy: ladder, params: { halfSpreadBps: 4, sizeBase: 0.02 }, limits: { ${limits} } }
risk: { ${risk} }
`,
  );
  return loadBotConfig(path, env);
}

function refusalOf(risk: string, limits?: string): string {
  try {
    load(risk, limits);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error("the file was taken");
}

const HARD = "maxDrawdownQuote: 500";

describe("the loss limits of a bot's file", () => {
  it("halt at the drawdown by default, as files of earlier versions do", () => {
    const { risk } = load(HARD);
    expect(risk).toMatchObject({ maxDrawdownQuote: "500" });
    expect(Object.keys(risk)).not.toContain("onDrawdown");
    expect(ladderRungsFor({ risk }, 6)).toEqual({
      drawdown: [
        {
          action: "halt",
          from: 500_000_001n,
          liftBelow: 400_000_000n,
          latches: true,
          text: "500 quote",
          threshold: "500",
        },
      ],
      dailyLoss: [],
      inventory: [],
      markout: [],
    });
  });

  it("take three keys in the common case, and the daily loss then acts like the drawdown", () => {
    const { risk } = load(`${HARD}, onDrawdown: flatten, maxDailyLossQuote: 300`);
    const { drawdown, dailyLoss } = ladderRungsFor({ risk }, 6);
    expect(drawdown.map(({ action, from }) => [action, from])).toEqual([["flatten", 500_000_001n]]);
    expect(dailyLoss.map(({ action, from }) => [action, from])).toEqual([
      ["flatten", 300_000_001n],
    ]);
    expect(ladderRungsFor({ risk: { ...risk, onDailyLoss: "halt" } }, 6).dailyLoss[0]?.action).toBe(
      "halt",
    );
  });

  it("can have rungs before the limits, each above the one before it", () => {
    const { risk } = load(`${HARD}, ladder: {
      drawdown: [{ fromQuote: 100.10, action: warn }, { fromQuote: 200, action: widen }, { fromQuote: 300, action: widen, widenFactor: 3 }, { fromQuote: 400, action: reduce }],
      inventory: [{ fromFraction: 0.8, action: widen, widenFactor: 1.5 }],
      markout: [{ fromBps: 2.5, action: halt }],
      liftFraction: 0.5 }`);
    const { drawdown, inventory, markout } = ladderRungsFor({ risk }, 6);
    expect(
      drawdown.map(({ action, widenFactor, latches }) => [action, widenFactor, latches]),
    ).toEqual([
      ["warn", undefined, false],
      ["widen", 2, false],
      ["widen", 3, false],
      ["reduce", undefined, false],
      ["halt", undefined, true],
    ]);
    expect(drawdown[0]).toMatchObject({ from: 100_100_000n, liftBelow: 50_050_000n });
    expect(inventory).toMatchObject([{ from: 0.8, liftBelow: 0.4, widenFactor: 1.5 }]);
    expect(markout).toMatchObject([{ from: 2.5, latches: true }]);
  });

  it.each([
    [
      "an unknown action",
      `${HARD}, onDrawdown: panic`,
      /^risk\.onDrawdown: .*halt.*reduce.*flatten/s,
    ],
    ["a loss of zero", `${HARD}, maxDailyLossQuote: 0`, /^risk\.maxDailyLossQuote: .*zero/s],
    [
      "a negative rung",
      `${HARD}, ladder: { drawdown: [{ fromQuote: -1, action: warn }] }`,
      /^risk\.ladder\.drawdown\.0\.fromQuote: .*above 0/s,
    ],
    [
      "an action without its limit",
      `${HARD}, onDailyLoss: halt`,
      /^risk\.onDailyLoss: has no limit to act at.*maxDailyLossQuote/s,
    ],
    [
      "rungs that fall",
      `${HARD}, ladder: { drawdown: [{ fromQuote: 300, action: warn }, { fromQuote: 200, action: reduce }] }`,
      /^risk\.ladder\.drawdown\.1\.fromQuote: is not above the rung before it.*above 300/s,
    ],
    [
      "a rung that does less than the one before it",
      `${HARD}, ladder: { drawdown: [{ fromQuote: 200, action: reduce }, { fromQuote: 300, action: widen }] }`,
      /^risk\.ladder\.drawdown\.1\.action: does no more than the rung before it.*more than reduce/s,
    ],
    [
      "a wider rung that is not",
      `${HARD}, ladder: { drawdown: [{ fromQuote: 200, action: widen, widenFactor: 3 }, { fromQuote: 300, action: widen }] }`,
      /^risk\.ladder\.drawdown\.1\.action: does no more/s,
    ],
    [
      "a rung beyond the limit",
      `${HARD}, ladder: { drawdown: [{ fromQuote: 500, action: warn }] }`,
      /^risk\.ladder\.drawdown\.0\.fromQuote: is not below maxDrawdownQuote.*below 500/s,
    ],
    [
      "a rung beyond the limit of the day",
      `${HARD}, maxDailyLossQuote: 300, ladder: { dailyLoss: [{ fromQuote: 301, action: warn }] }`,
      /^risk\.ladder\.dailyLoss\.0\.fromQuote: is not below maxDailyLossQuote/s,
    ],
    [
      "a factor that widens nothing",
      `${HARD}, ladder: { drawdown: [{ fromQuote: 200, action: widen, widenFactor: 1 }] }`,
      /^risk\.ladder\.drawdown\.0\.widenFactor: .*1/s,
    ],
    [
      "a factor of what does not widen",
      `${HARD}, ladder: { drawdown: [{ fromQuote: 200, action: reduce, widenFactor: 2 }] }`,
      /^risk\.ladder\.drawdown\.0\.widenFactor: is for widen, and the rung does reduce/s,
    ],
    [
      "more than the whole position",
      `${HARD}, ladder: { inventory: [{ fromFraction: 1.5, action: warn }] }`,
      /^risk\.ladder\.inventory\.0\.fromFraction/s,
    ],
    ["no rung", `${HARD}, ladder: { drawdown: [] }`, /^risk\.ladder\.drawdown/s],
    [
      "more fills than count",
      `${HARD}, ladder: { markout: [{ fromBps: 2, action: warn }], markoutFills: 10, markoutMinFills: 11 }`,
      /^risk\.ladder\.markoutMinFills: is more than the fills that count.*at most markoutFills, 10/s,
    ],
    ["no slippage", `${HARD}, flatten: { maxSlippageBps: 0 }`, /^risk\.flatten\.maxSlippageBps/s],
  ])("refuse %s, with the expected value", (_what, risk, message) => {
    expect(refusalOf(risk)).toMatch(message);
  });

  it("refuse inventory rungs in a market without a position limit, of which they are a share", () => {
    const message = refusalOf(
      `${HARD}, ladder: { inventory: [{ fromFraction: 0.5, action: warn }] }`,
      "",
    );
    expect(message).toMatch(
      /^markets\.btcusdc\.limits\.maxPositionBase: is missing beside risk\.ladder\.inventory/s,
    );
  });

  it("refuse a rung that has more decimals than the exchange's money", () => {
    const config = load(`${HARD}, ladder: { drawdown: [{ fromQuote: 0.0000001, action: warn }] }`);
    expect(() => checkOnGrid(config, stageRules(["btcusdc"]))).toThrow(
      /risk\.ladder\.drawdown\.0\.fromQuote/,
    );
  });
});

describe("the loss rules in `explain`", () => {
  it("say what happens to the position", () => {
    expect(formatLossRules(load(HARD))).toEqual([
      "over 500 quote below the peak: quotes are cancelled until resume; positions stay open and can lose more",
    ]);
    const lines = formatLossRules(
      load(
        `${HARD}, onDrawdown: flatten, maxDailyLossQuote: 300, onDailyLoss: reduce, flatten: { maxSlippageBps: 50 }`,
      ),
    );
    expect(lines).toEqual([
      expect.stringMatching(
        /^over 500 quote below the peak: every position is sold in 5 orders, one each 1000 ms and none worse than 50 bps from the mark/,
      ),
      expect.stringMatching(
        /^over 300 quote lost since midnight UTC: only orders that reduce a position rest until the day is over, or resume/,
      ),
    ]);
  });

  it("name every rung", () => {
    const lines = formatLossRules(
      load(
        `${HARD}, ladder: { drawdown: [{ fromQuote: 200, action: widen }], inventory: [{ fromFraction: 0.8, action: reduce }], markout: [{ fromBps: 3, action: halt }] }`,
      ),
    );
    expect(lines).toEqual([
      "from 200 quote below the peak on: quotes are 2 times as far from the mid",
      expect.stringMatching(/^over 500/),
      "in a market whose position is from 0.8 of its limit on: only orders that reduce the position rest",
      "in a market whose newest 50 fills lost from 3 bps on within 10000 ms: quotes are cancelled until resume; the position stays open",
    ]);
  });
});
