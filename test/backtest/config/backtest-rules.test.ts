import { describe, expect, it } from "vitest";
import { readVenueRules } from "#backtest/backtest-rules.js";
import { ConfigError } from "#core/errors.js";
import { DEFAULT_LIMITS } from "#exchange/rate-gate.js";
import { parseExchangeConfig } from "#simulator/config.js";

type RulesFile = Parameters<typeof readVenueRules>[0];

const MARKET = {
  tickSizeQuote: "0.1",
  stepSizeBase: "0.001",
  makerFeeRate: "-0.0001",
  takerFeeRate: "0.0005",
  maxLeverage: 20,
  liquidationThreshold: 0.03,
  maxOpenOrders: 200,
};

function marketOf(change: Partial<NonNullable<RulesFile["markets"]>[string]>) {
  const file: RulesFile = {
    markets: { btcusdc: { ...MARKET, ...change } },
    liquidationPriceOff: 0.01,
    insuranceFeeRate: 0.01,
  };
  return readVenueRules(file, ["btcusdc"], "/").markets.btcusdc;
}

describe("the rules that a backtest's file states for a market", () => {
  it("are taken to the unit, signs included", () => {
    expect(marketOf({ minAmountBase: "0.002", maxAmountBase: "1.5" })).toMatchObject({
      tickSize: "0.1",
      stepSize: "0.001",
      minLots: 2,
      maxLots: 1500,
      makerFeeRate: -100_000_000_000_000n,
      takerFeeRate: 500_000_000_000_000n,
      liquidationLeverage: "33.33333333",
    });
  });

  it("limit an account's exposure only where they say so", () => {
    expect(marketOf({ maxExposureQuote: "5000000.5" })?.maxExposure).toBe(5_000_000_500_000n);
    expect(marketOf({})).not.toHaveProperty("maxExposure");
    expect(() => marketOf({ maxExposureQuote: "1.0000001" })).toThrow(ConfigError);
    expect(() => marketOf({ maxExposureQuote: "1.0000001" })).toThrow(
      /rules\.markets\.btcusdc\.maxExposureQuote.*1\.0000001/,
    );
  });

  it("keep a replayed bot to the token limits of the bot and of the embedded exchange where the file names none", () => {
    const file: RulesFile = {
      markets: { btcusdc: MARKET },
      liquidationPriceOff: 0.01,
      insuranceFeeRate: 0.01,
    };
    const limits = (change: Partial<RulesFile>) =>
      Object.fromEntries(
        readVenueRules({ ...file, ...change }, ["btcusdc"], "/").rateLimits.map(
          ({ name, limit }) => [name, limit],
        ),
      );
    const { order, common } = parseExchangeConfig({ markets: { btcusdc: {} } }).rateLimits;
    expect(limits({})).toEqual({ ORDER: order, COMMON: common });
    expect(limits({})).toEqual(
      Object.fromEntries(DEFAULT_LIMITS.map(({ name, limit }) => [name, limit])),
    );
    expect(limits({ orderTokensPerMinute: 600 })).toEqual({ ORDER: 600, COMMON: common });
  });

  it("state the gas of small orders, or that there is none", () => {
    const file: RulesFile = {
      markets: { btcusdc: MARKET },
      liquidationPriceOff: 0.01,
      insuranceFeeRate: 0.01,
    };
    const told = readVenueRules(
      { ...file, gas: { waivedFrom: "10", orderQuote: "0.0019" } },
      ["btcusdc"],
      "/",
    );
    expect(told).toMatchObject({ waiveGasFeeMinimumQuote: 10_000_000n, orderGasCredit: 1_900n });
    const silent = readVenueRules(file, ["btcusdc"], "/");
    expect(silent.waiveGasFeeMinimumQuote).toBe(0n);
    expect(silent).not.toHaveProperty("orderGasCredit");
    expect(() =>
      readVenueRules(
        { ...file, gas: { waivedFrom: "10", orderQuote: "0.00000019" } },
        ["btcusdc"],
        "/",
      ),
    ).toThrow(/rules\.gas\.orderQuote.*0\.00000019.*at most 6 decimals/);
  });

  it("are refused by the name of the one with too many digits: a tick was reported as a correct step", () => {
    const digits = "0.1000000000000000001";
    expect(() => marketOf({ tickSizeQuote: digits })).toThrow(
      /rules\.markets\.btcusdc\.tickSizeQuote: does not fit.*more digits.*at most 15 digits/,
    );
    expect(() => marketOf({ stepSizeBase: digits })).toThrow(
      /rules\.markets\.btcusdc\.stepSizeBase: does not fit/,
    );
  });

  it("are refused where amounts are off the grid or the wrong way round", () => {
    expect(() => marketOf({ minAmountBase: "0.0015" })).toThrow(/minAmountBase.*0\.0015/);
    expect(() => marketOf({ minAmountBase: "2", maxAmountBase: "1" })).toThrow(
      /minAmountBase: is above maxAmountBase.*at most 1/,
    );
    expect(() =>
      readVenueRules(
        { markets: { btcusdc: MARKET }, liquidationPriceOff: 0, insuranceFeeRate: 0 },
        ["ethusdc"],
        "/",
      ),
    ).toThrow(/rules\.markets\.ethusdc: has no rules/);
  });
});
