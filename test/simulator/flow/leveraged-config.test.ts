import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import { checkLeveraged, leveragedFlowFactory } from "#simulator/leveraged-config.js";
import { traderKey } from "#simulator/leveraged-flow.js";

/** An exchange with one market of leveraged traders. */
function parsed(
  leveraged: unknown,
  { market = {}, exchange = {} }: { market?: object; exchange?: object } = {},
) {
  const flow = {
    kind: "synthetic",
    startPriceQuote: 60_000,
    ...(leveraged === undefined ? {} : { leveraged }),
  };
  return parseExchangeConfig({ markets: { btcusdc: { ...market, flow } }, ...exchange });
}

function refusal(run: () => unknown): ConfigError {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("was taken");
}

const FIELD = "markets.btcusdc.flow.leveraged";

describe("the setting of leveraged traders", () => {
  it("is off if left out, and has defaults if written empty", () => {
    expect(leveragedFlowFactory(parsed(undefined))).toBeNull();
    const config = parsed({});
    expect(config.markets.btcusdc?.flow).toMatchObject({
      leveraged: {
        count: 10,
        creditQuote: 1_000,
        sizeSigma: 0.5,
        openWithinMs: 20_000,
        holdMs: 180_000,
        pauseMs: 20_000,
        severalMarketsShare: 0,
        looksPerSecond: 1,
      },
    });
    const make = leveragedFlowFactory(config);
    expect(make?.()).not.toBe(make?.());
  });

  it.each([
    ["no trader at all", { count: 0 }, "count", /1/],
    ["more traders than are taken", { count: 1_001 }, "count", /1000/],
    ["no credit", { creditQuote: 0 }, "creditQuote", /1/],
    ["a spread of credit below nothing", { sizeSigma: -1 }, "sizeSigma", /0/],
    ["a leverage below one", { leverage: { min: 0.5, max: 2 } }, "leverage.min", /1/],
    ["half a leverage", { leverage: { min: 5 } }, "leverage.max", /./],
    [
      "leverages the wrong way round",
      { leverage: { min: 15, max: 10 } },
      "leverage.min",
      /at most max/,
    ],
    ["an opening in the past", { openWithinMs: -1 }, "openWithinMs", /0/],
    ["a hold with a fraction", { holdMs: 0.5 }, "holdMs", /whole|integer/i],
    ["a pause below nothing", { pauseMs: -1 }, "pauseMs", /0/],
    ["more than all of them", { severalMarketsShare: 1.1 }, "severalMarketsShare", /1/],
    ["traders that never look", { looksPerSecond: 0 }, "looksPerSecond", /0\.01/],
    ["an unknown key", { size: 1 }, "size", /creditQuote/],
  ])("names the path of %s and what would be right", (_, given, field, expected) => {
    const error = refusal(() => parsed(given));
    expect(error.field).toBe(`${FIELD}.${field}`);
    expect(error.expected).toMatch(expected);
  });

  it("refuses a leverage above the market's highest", () => {
    const config = parsed({ leverage: { min: 10, max: 21 } });
    const error = refusal(() => checkLeveraged(config));
    expect([error.field, error.value, error.expected]).toEqual([
      `${FIELD}.leverage.max`,
      21,
      "at most the market's maxLeverage, 20",
    ]);
    expect(
      refusal(() =>
        configuredExchange(config, {
          clock: { nowMs: () => 0, monotonicMs: () => 0, setTimer: () => ({ cancel: () => {} }) },
          random: { uniform: () => 0, uint64: () => 0n },
        }),
      ).field,
    ).toBe(`${FIELD}.leverage.max`);
    expect(() =>
      checkLeveraged(parsed({ leverage: { min: 10, max: 21 } }, { market: { maxLeverage: 21 } })),
    ).not.toThrow();
  });

  it("refuses a credit too small for any order of the market", () => {
    const error = refusal(() =>
      checkLeveraged(parsed({ creditQuote: 5, leverage: { min: 2, max: 10 } })),
    );
    expect([error.field, error.expected]).toEqual([
      `${FIELD}.creditQuote`,
      "at least 30, the margin of the smallest order",
    ]);
    expect(() =>
      checkLeveraged(parsed({ creditQuote: 30, leverage: { min: 2, max: 10 } })),
    ).not.toThrow();
  });

  it("refuses more traders than the exchange's maximum of accounts", () => {
    const error = refusal(() =>
      checkLeveraged(parsed({ count: 11 }, { exchange: { maxAccounts: 10 } })),
    );
    expect([error.field, error.expected]).toEqual([
      `${FIELD}.count`,
      "at most maxAccounts, 10, together with other markets",
    ]);
  });

  it("gives each trader a key of its own, the same at every start", () => {
    const keys = ["1/btcusdc", "2/btcusdc"].flatMap((seed) =>
      ["btcusdc", "ethusdc"].flatMap((marketId) =>
        [1, 2, 3].map((number) => traderKey(seed, marketId, number)),
      ),
    );
    expect(new Set(keys).size).toBe(12);
    expect(traderKey("1/btcusdc", "btcusdc", 1)).toBe(keys[0]);
  });
});
