import { describe, expect, it } from "vitest";
import type { BotConfig } from "#bot/config.js";
import { checkOnGrid } from "#bot/config-grid.js";
import { botSchema } from "#bot/config-schema.js";
import { ConfigError } from "#core/errors.js";
import type { MarketRules, VenueRules } from "#exchange/records.js";

const zero = `0x${"00".repeat(32)}` as const;
const btcusdc: MarketRules = {
  marketId: "btcusdc",
  tickSize: "0.1",
  stepSize: "0.001",
  minTicks: 1,
  maxTicks: 10_000_000,
  minLots: 2,
  maxLots: 100_000,
  marketMinLots: 2,
  marketMaxLots: 100_000,
  maxOpenOrders: 200,
  makerFeeRate: 0n,
  takerFeeRate: 0n,
  maxLeverage: 20,
  liquidationLeverage: "33",
  perp: zero,
  stage: "NORMAL",
  status: "TRADING",
  fundingIntervalMs: 3_600_000,
};
const rules: VenueRules = {
  creditDecimals: 6,
  paperDecimals: 18,
  eip712: {
    domainSeparator: zero,
    domainTypeHash: zero,
    orderTypeHash: zero,
    chainId: 1,
    domainName: "",
    domainVersion: "1",
    verifyingContract: zero,
  },
  rateLimits: [],
  waiveGasFeeMinimumQuote: 0n,
  markets: { btcusdc },
  serverTimeMs: 0,
};

function bot(marketId: string, params: object, limits: object): BotConfig {
  const file = botSchema.parse({
    exchange: { rest: "http://127.0.0.1:1/v1", stream: "ws://127.0.0.1:1/v1" },
    account: { keyEnv: "KEY" },
    quotes: { timeInForce: "GTT" },
    markets: { [marketId]: { strategy: "ladder", params, limits } },
    risk: { maxDrawdownQuote: 1 },
  });
  return { ...file, path: "/bot.yaml" };
}

describe("sizes against the exchange's grid", () => {
  it("accepts sizes that can be ordered", () => {
    expect(() =>
      checkOnGrid(
        bot(
          "btcusdc",
          { sizeBase: 0.02, levels: [{ sizeBase: 0.003 }] },
          { maxOrderBase: 0.1, maxPositionBase: "0.5" },
        ),
        rules,
      ),
    ).not.toThrow();
    expect(() =>
      checkOnGrid(bot("btcusdc", { sizesBase: [0.1, 0.3, 0.7] }, {}), rules),
    ).not.toThrow();
  });

  it.each([
    [
      "a limit off the grid",
      {},
      { maxOrderBase: "0.1005" },
      "markets.btcusdc.limits.maxOrderBase",
      "such as 0.1 or 0.101",
    ],
    [
      "a limit off the grid by a digit that no float holds",
      {},
      { maxPositionBase: "0.50000000000000000001" },
      "markets.btcusdc.limits.maxPositionBase",
      "0.5 or 0.501",
    ],
    [
      "a size off the grid",
      { sizeBase: 0.0205 },
      {},
      "markets.btcusdc.params.sizeBase",
      "0.02 or 0.021",
    ],
    [
      "a size below one lot",
      { sizeBase: 0.0005 },
      {},
      "markets.btcusdc.params.sizeBase",
      "such as 0.001",
    ],
    [
      "a size in a list",
      { levels: [{ sizeBase: 0.02 }, { sizeBase: 0.0201 }] },
      {},
      "markets.btcusdc.params.levels.1.sizeBase",
      "0.02 or 0.021",
    ],
    [
      "a size below the smallest order",
      { sizeBase: 0.001 },
      {},
      "markets.btcusdc.params.sizeBase",
      "from 0.002 to 100",
    ],
    [
      "a size above the largest order",
      {},
      { maxOrderBase: 101 },
      "markets.btcusdc.limits.maxOrderBase",
      "from 0.002 to 100",
    ],
    [
      "more orders than the exchange allows",
      {},
      { maxOpenOrders: 201 },
      "markets.btcusdc.limits.maxOpenOrders",
      "at most 200",
    ],
    [
      "money finer than the exchange's",
      {},
      { maxNotionalQuote: "1000.0000001" },
      "markets.btcusdc.limits.maxNotionalQuote: has more decimals than the exchange's money",
      "at most 6 decimals, such as 1000.000001",
    ],
  ])("refuses %s before anything is sent", (_name, params, limits, field, expected) => {
    const check = () => checkOnGrid(bot("btcusdc", params, limits), rules);
    expect(check).toThrow(ConfigError);
    expect(check).toThrow(field);
    expect(check).toThrow(expected);
  });

  it("refuses a drawdown that has more decimals than the exchange's money, before the account is registered", () => {
    const { risk, ...file } = bot("btcusdc", {}, {});
    const check = (maxDrawdownQuote: string) => () =>
      checkOnGrid({ ...file, risk: { ...risk, maxDrawdownQuote } }, rules);
    expect(check("0.0000001")).toThrow(
      /risk\.maxDrawdownQuote: has more decimals .* such as 0\.000001/,
    );
    expect(check("0.0000010")).not.toThrow();
  });

  it("names the market that was probably meant", () => {
    expect(() => checkOnGrid(bot("btcusdt", {}, {}), rules)).toThrow(
      /markets\.btcusdt: is not a market of this exchange, did you mean btcusdc\?/,
    );
  });
});
