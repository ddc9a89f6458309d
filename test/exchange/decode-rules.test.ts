import { describe, expect, it } from "vitest";
import { FormatError } from "#core/errors.js";
import { createInstruments, decodeRules, MissingFilterError } from "#exchange/decode-rules.js";
import { checkDomain } from "#exchange/domain-check.js";
import { checkFilters } from "#exchange/filters.js";
import type { MarketRules } from "#exchange/records.js";
import { wireExchangeInfo, wireMarket } from "./wire-records.js";

function rulesOf(market = wireMarket()): MarketRules {
  return decodeRules(wireExchangeInfo([market]), [market.id]).markets[market.id] as MarketRules;
}

/** The market with the fields of one filter changed. */
function withFilter(filterType: string, change: object) {
  const market = wireMarket();
  return {
    ...market,
    filters: market.filters.map((filter) =>
      filter.filterType === filterType ? { ...filter, ...change } : filter,
    ),
  };
}

describe("exchangeInfo", () => {
  it("is put on the grid, fee rates signed", () => {
    const rules = decodeRules(wireExchangeInfo(), ["btcusdc"]);
    expect(rules.markets.btcusdc).toEqual({
      marketId: "btcusdc",
      baseAsset: "BTC",
      quoteAsset: "USDC",
      tickSize: "0.1",
      stepSize: "0.001",
      minTicks: 1,
      maxTicks: 10_000_000,
      minLots: 1,
      maxLots: 100_000,
      marketMinLots: 2,
      marketMaxLots: 50_000,
      marketStepLots: 1,
      maxOpenOrders: 20,
      makerFeeRate: -100_000_000_000_000n,
      takerFeeRate: 300_000_000_000_000n,
      maxLeverage: 20,
      maxExposure: 10_000_000_000_000n,
      liquidationLeverage: "33.3",
      perp: "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
      stage: "TRADING",
      status: "TRADING",
      fundingIntervalMs: 28_800_000,
    });
    expect(rules.rateLimits).toEqual([
      { name: "COMMON", intervalMs: 60_000, limit: 2400 },
      { name: "ORDER", intervalMs: 60_000, limit: 1200 },
    ]);
    expect(rules.waiveGasFeeMinimumQuote).toBe(10_000_000n);
    expect(createInstruments(rules).get("btcusdc")?.parsePrice("2000.5")).toBe(20005);
  });

  it("names the assets of a market only as a terminal may print them, and needs no name", () => {
    const namesOf = (baseAssetName: unknown) => {
      const info = wireExchangeInfo();
      const markets = info.markets.map((market) => ({ ...market, baseAssetName }));
      return decodeRules({ ...info, markets }, ["btcusdc"]).markets.btcusdc?.baseAsset;
    };
    expect(namesOf("1000PEPE")).toBe("1000PEPE");
    for (const name of [undefined, null, 7, "", "\x1b[2J", "B TC", "X".repeat(21)])
      expect(namesOf(name), String(name)).toBeUndefined();
  });

  it("knows the gas of an order, rounded up, where it is told in wei, and nothing of it where it is not", () => {
    const gasOf = (gas: Record<string, string | undefined>) => {
      const info = wireExchangeInfo();
      return decodeRules({ ...info, gasFeeInfo: { ...info.gasFeeInfo, ...gas } }, ["btcusdc"])
        .orderGasCredit;
    };
    expect(gasOf({ gasLimit: "125000", gasPrice: "5000000", lastEthIndexPrice: "3000" })).toBe(
      1_875n,
    );
    expect(
      gasOf({ gasLimit: "125000", gasPrice: "5000000.5", lastEthIndexPrice: "3000.1234567" }),
    ).toBe(1_876n);
    expect(gasOf({})).toBe(0n);
    expect(gasOf({ gasPrice: undefined })).toBeUndefined();
  });

  it("takes the strictest whole bound of one that is off the grid", () => {
    const rules = rulesOf(withFilter("PRICE_FILTER", { minPrice: "0.15", maxPrice: "99.99" }));
    expect([rules.minTicks, rules.maxTicks]).toEqual([2, 999]);
  });

  it("bounds nothing by a bound past 2^53, and a zero minimum by one unit", () => {
    const rules = rulesOf(
      withFilter("AMOUNT_FILTER", { minAmount: "0", maxAmount: "1000000000000000000000" }),
    );
    expect([rules.minLots, rules.maxLots]).toEqual([1, Number.MAX_SAFE_INTEGER]);
  });

  it("keeps a market order's coarser step, in lots", () => {
    expect(rulesOf(withFilter("MARKET_AMOUNT_FILTER", { stepSize: "0.01" })).marketStepLots).toBe(
      10,
    );
    // 0.0015 and 0.001 meet at 0.003.
    expect(rulesOf(withFilter("MARKET_AMOUNT_FILTER", { stepSize: "0.0015" })).marketStepLots).toBe(
      3,
    );
  });

  it.each(["PRICE_FILTER", "AMOUNT_FILTER", "MARKET_AMOUNT_FILTER", "MAX_OPEN_ORDERS_FILTER"])(
    "a market without its %s is not traded",
    (filterType) => {
      const market = {
        ...wireMarket(),
        filters: wireMarket().filters.filter((filter) => filter.filterType !== filterType),
      };
      const error = catching(() => decodeRules(wireExchangeInfo([market]), ["btcusdc"]));
      expect(error).toBeInstanceOf(MissingFilterError);
      expect((error as MissingFilterError).filterType).toBe(filterType);
    },
  );

  it.each([
    ["a tick of zero", withFilter("PRICE_FILTER", { tickSize: "0" }), /tickSize/],
    ["a negative step", withFilter("AMOUNT_FILTER", { stepSize: "-1" }), /AMOUNT_FILTER.stepSize/],
    [
      "a market step of zero",
      withFilter("MARKET_AMOUNT_FILTER", { stepSize: "0" }),
      /MARKET_AMOUNT_FILTER.stepSize/,
    ],
    ["an exponent", withFilter("PRICE_FILTER", { tickSize: "1e-1" }), /PRICE_FILTER.tickSize/],
    [
      "bounds that leave no room",
      withFilter("PRICE_FILTER", { minPrice: "5", maxPrice: "4" }),
      /no room/,
    ],
    ["a fee that is no number", { ...wireMarket(), makerFee: "free" }, /makerFee/],
    [
      "a leverage between whole ones",
      { ...wireMarket(), maxLeverage: 12.5 },
      /btcusdc.maxLeverage.*12.5/,
    ],
    [
      "a perp that is no address",
      { ...wireMarket(), perpetualContractAddress: "0x12" },
      /perpetualContractAddress/,
    ],
  ])(
    "refuses %s in a market that is traded, and tells what is wrong with one that is not",
    (_, market, message) => {
      const info = wireExchangeInfo([market, wireMarket({ id: "ethusdc" })]);
      expect(() => decodeRules(info, ["btcusdc"])).toThrow(message);
      const { markets, unread } = decodeRules(info, ["ethusdc"]);
      expect(Object.keys(markets)).toEqual(["ethusdc"]);
      expect(unread?.btcusdc).toMatch(message);
    },
  );

  it("names the markets there are when the bot's is not among them", () => {
    expect(() => decodeRules(wireExchangeInfo(), ["dogeusdc"])).toThrow(/dogeusdc.*btcusdc/);
  });

  it("knows no rate limit that is told as 0: it is switched off, and an exchange that takes nothing would not say so by its budget", () => {
    const off = {
      ...wireExchangeInfo(),
      rateLimits: [
        { name: "COMMON", intervalSeconds: 60, limit: 0 },
        { name: "ORDER", intervalSeconds: 60, limit: 7 },
      ],
    };
    expect(decodeRules(off, ["btcusdc"]).rateLimits).toEqual([
      { name: "ORDER", intervalMs: 60_000, limit: 7 },
    ]);
  });

  it("tolerates fields, filters, statuses and limits that it does not know", () => {
    const market = { ...wireMarket({ status: "PAUSED_FOR_LUNCH" }), newField: 1 };
    const info = {
      ...wireExchangeInfo([
        { ...market, filters: [...market.filters, { filterType: "NEW_FILTER", x: 1 }] },
      ]),
      other: [],
    };
    expect(decodeRules(info, ["btcusdc"]).markets.btcusdc?.status).toBe("PAUSED_FOR_LUNCH");
  });

  it("a market that is called __proto__ changes nothing but itself", () => {
    const rules = decodeRules(wireExchangeInfo([wireMarket({ id: "__proto__" }), wireMarket()]), [
      "btcusdc",
    ]);
    expect(Object.keys(rules.markets)).toEqual(["__proto__", "btcusdc"]);
    expect(Object.getPrototypeOf(rules.markets)).toBe(Object.prototype);
  });

  it.each([
    null,
    [],
    "x",
    {},
    { ...wireExchangeInfo(), eip712: undefined },
    { ...wireExchangeInfo(), markets: "none" },
  ])("refuses %j", (value) => {
    expect(() => decodeRules(value, [])).toThrow(FormatError);
  });
});

describe("the domain check", () => {
  it("is silent when the exchange computes what we compute", () => {
    expect(checkDomain(decodeRules(wireExchangeInfo(), []))).toEqual([]);
  });

  it("names each constant that differs: an order signed under it would belong to another account", () => {
    const info = wireExchangeInfo();
    const wrong = `0x${"1".repeat(64)}`;
    const rules = decodeRules(
      {
        ...info,
        eip712: { ...info.eip712, EIP712_DOMAIN_SEPARATOR: wrong, EIP712_ORDER_TYPE: wrong },
      },
      [],
    );
    expect(checkDomain(rules)).toEqual([
      {
        field: "EIP712_DOMAIN_SEPARATOR",
        value: wrong,
        expected: info.eip712.EIP712_DOMAIN_SEPARATOR,
      },
      { field: "EIP712_ORDER_TYPE", value: wrong, expected: info.eip712.EIP712_ORDER_TYPE },
    ]);
    const moved = decodeRules(
      { ...info, eip712: { ...info.eip712, verifyingContract: `0x${"2".repeat(40)}` } },
      [],
    );
    expect(checkDomain(moved).map(({ field }) => field)).toEqual(["EIP712_DOMAIN_SEPARATOR"]);
  });
});

describe("filters before sending", () => {
  const rules = rulesOf(withFilter("MARKET_AMOUNT_FILTER", { stepSize: "0.002" }));

  it.each([
    ["the bounds themselves", { type: "LIMIT", ticks: 1, lots: 1 } as const, []],
    ["the upper bounds", { type: "LIMIT", ticks: 10_000_000, lots: 100_000 } as const, []],
    ["a price of nothing", { type: "LIMIT", ticks: 0, lots: 1 } as const, ["PRICE_FILTER"]],
    ["a price above", { type: "LIMIT", ticks: 10_000_001, lots: 1 } as const, ["PRICE_FILTER"]],
    ["half a tick", { type: "LIMIT", ticks: 1.5, lots: 1 } as const, ["PRICE_FILTER"]],
    ["an amount above", { type: "LIMIT", ticks: 1, lots: 100_001 } as const, ["AMOUNT_FILTER"]],
    [
      "NaN",
      { type: "LIMIT", ticks: Number.NaN, lots: Number.NaN } as const,
      ["PRICE_FILTER", "AMOUNT_FILTER"],
    ],
    [
      "a MARKET order within its own bounds",
      { type: "MARKET", ticks: 1, lots: 50_000 } as const,
      [],
    ],
    [
      "a MARKET order above its own bounds",
      { type: "MARKET", ticks: 1, lots: 50_002 } as const,
      ["MARKET_AMOUNT_FILTER"],
    ],
    [
      "a MARKET order below its own minimum",
      { type: "MARKET", ticks: 1, lots: 1 } as const,
      ["MARKET_AMOUNT_FILTER"],
    ],
    [
      "a MARKET order off its own step",
      { type: "MARKET", ticks: 1, lots: 3 } as const,
      ["MARKET_AMOUNT_FILTER"],
    ],
  ])("%s", (_, order, filters) => {
    expect(checkFilters(rules, order).map(({ filter }) => filter)).toEqual(filters);
  });

  it("counts the open orders", () => {
    expect(checkFilters(rules, { type: "LIMIT", ticks: 1, lots: 1 }, 19)).toEqual([]);
    expect(checkFilters(rules, { type: "LIMIT", ticks: 1, lots: 1 }, 20)).toEqual([
      {
        filter: "MAX_OPEN_ORDERS_FILTER",
        field: "openOrders",
        value: 20,
        expected: "fewer than 20",
      },
    ]);
  });
});

function catching(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
