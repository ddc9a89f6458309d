import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import { readContract } from "#hedge/read-contract.js";
import { CONTRACT } from "./told-server.js";

const SYMBOL = "BTC/USDC:USDC";
const MARKET = {
  id: "BTCUSDC",
  base: "BTC",
  quote: "USDC",
  settle: "USDC",
  contract: true,
  linear: true,
  contractSize: 1,
  info: CONTRACT,
};

const read = (market: object, symbol = SYMBOL) =>
  readContract(symbol, { [SYMBOL]: { ...MARKET, ...market } }, "markets.btcusdc.hedge.symbol");

const filters = (tickSize: string, stepSize: string) => [
  { filterType: "PRICE_FILTER", tickSize },
  { filterType: "LOT_SIZE", minQty: stepSize, maxQty: "1000", stepSize },
];

describe("a contract of a hedge venue", () => {
  it("has the venue's own smallest and largest order, and no least value without such a rule", () => {
    const contract = read({ info: { ...CONTRACT, filters: filters("0.10", "0.002") } });
    expect(contract).toMatchObject({ minLots: 1, maxLots: 500_000, minNotional: 0n });
  });

  it("is refused where a hedge would be of another size or another kind", () => {
    expect(() => read({ contractSize: 0.01 })).toThrow(/counts its size in contracts of 0.01/);
    expect(() => read({ linear: false })).toThrow(/is not a linear contract/);
    expect(() => read({ settle: "BTC" })).toThrow(/is not a linear contract/);
    expect(() => read({}, "BTC/USD:BTC")).toThrow(/is an inverse contract/);
    expect(() => read({ info: { ...CONTRACT, contractType: "CURRENT_QUARTER" } })).toThrow(
      /is a contract of type CURRENT_QUARTER/,
    );
  });

  it("is refused where its fills could not be counted exactly", () => {
    const info = { ...CONTRACT, filters: filters("0.00001", "0.0001") };
    expect(() => read({ info })).toThrow(/worth less than money can be counted in/);
  });

  it("is proposed where its name is nearly right", () => {
    expect(() => read({}, "BTC/USDC:USDCC")).toThrow(ConfigError);
    expect(() => read({}, "BTC/USDC:USDCC")).toThrow(/BTC\/USDC:USDC perhaps/);
  });
});
