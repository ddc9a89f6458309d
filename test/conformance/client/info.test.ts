import { expect } from "vitest";
import { Instrument } from "#core/instrument.js";
import { decodeRules } from "#exchange/decode-rules.js";
import { checkFilters } from "#exchange/filters.js";
import { conforms } from "../conforms.js";
import { worlds } from "../exchange/world.js";
import { EXCHANGE_INFO, MARKET, ORDER, text } from "./examples.js";
import { connections, expectRead, scripted } from "./world.js";

const world = worlds();
const connected = connections();
const order = { marketId: "btcusdc", side: "BUY", amount: "1", price: "2000" } as const;
const withMarket = (change: object) =>
  text({ ...EXCHANGE_INFO, markets: [{ ...MARKET, ...change }] });

/**
 * A client of a market, and what became of an order there: taken, or refused before anything was
 * sent.
 */
function placing(change: object = {}) {
  const exchange = scripted({
    "GET /v1/exchangeInfo": withMarket(change),
    "POST /v1/order": text(ORDER),
  });
  const outcome = async (terms: object): Promise<string> => {
    const before = exchange.sent.length;
    const refused = await exchange.client.prepare({ ...order, ...terms }).then(
      () => "taken",
      (error: { name: string; message: string; breaches?: readonly { filter: string }[] }) =>
        error.breaches?.map(({ filter }) => filter).join() ?? error.name,
    );
    expect(exchange.sent.slice(before).filter(({ method }) => method === "POST")).toEqual([]);
    return refused;
  };
  return { ...exchange, outcome };
}

conforms("I1", "client", "reads every part of exchangeInfo with every field", async () => {
  const { client } = scripted({ "GET /v1/exchangeInfo": text(EXCHANGE_INFO) });
  const info = await client.exchangeInfo();
  expectRead(info, EXCHANGE_INFO, "exchangeInfo");
  expectRead(info.assets[0] ?? {}, EXCHANGE_INFO.assets[0] ?? {}, "asset");
  expectRead(info.dealerInfo, EXCHANGE_INFO.dealerInfo, "dealerInfo");
  expectRead(info.eip712, EXCHANGE_INFO.eip712, "eip712");
  expectRead(info.gasFeeInfo, EXCHANGE_INFO.gasFeeInfo, "gasFeeInfo");
  for (const [place, limit] of info.rateLimits.entries())
    expectRead(limit, EXCHANGE_INFO.rateLimits[place] ?? {}, "rateLimit");
});

conforms("I1", "client", "says which part is missing", async () => {
  for (const part of [
    "assets",
    "dealerInfo",
    "eip712",
    "gasFeeInfo",
    "markets",
    "rateLimits",
    "serverTime",
    "timezone",
  ]) {
    const { [part as "assets"]: _, ...rest } = EXCHANGE_INFO;
    const { client } = scripted({ "GET /v1/exchangeInfo": text(rest) });
    await expect(client.exchangeInfo()).rejects.toMatchObject({
      name: "FormatError",
      field: expect.stringContaining(part),
    });
  }
});

conforms(
  "I2",
  "client",
  "reads every field of a market, instants that are set and that are not",
  async () => {
    const { client } = scripted({
      "GET /v1/exchangeInfo": withMarket({ suspendedAt: 1_700_000_000_000 }),
    });
    const [market] = (await client.exchangeInfo()).markets;
    expectRead(market ?? {}, { ...MARKET, suspendedAt: 1_700_000_000_000 }, "market");
    expect(market).toMatchObject({
      OrderType: ["LIMIT", "MARKET"],
      timeInForce: ["GTC", "IOC", "FOK", "POST_ONLY"],
      liquidatedAt: null,
    });
    const plain = scripted({ "GET /v1/exchangeInfo": text(EXCHANGE_INFO) });
    expectRead((await plain.client.exchangeInfo()).markets[0] ?? {}, MARKET, "market");
    for (const [place, filter] of (market?.filters ?? []).entries()) {
      const wire = MARKET.filters[place] ?? MARKET.filters[0];
      if (wire !== undefined) expectRead(filter, wire, wire.filterType);
    }
    const { OrderType, ...misspelled } = MARKET;
    const wrong = scripted({
      "GET /v1/exchangeInfo": text({
        ...EXCHANGE_INFO,
        markets: [{ ...misspelled, orderType: OrderType }],
      }),
    });
    await expect(wrong.client.exchangeInfo()).rejects.toMatchObject({
      field: expect.stringContaining("OrderType"),
    });
  },
);

const filters = (change: Readonly<Record<string, object>>) => ({
  filters: MARKET.filters.map((filter) => ({ ...filter, ...change[filter.filterType] })),
});

conforms("I3", "client", "holds a price to bounds and tick before it signs", async () => {
  const { outcome } = placing(
    filters({ PRICE_FILTER: { minPrice: "10", maxPrice: "50000", tickSize: "0.5" } }),
  );
  expect([
    await outcome({ price: "10" }),
    await outcome({ price: "50000" }),
    await outcome({ price: "2000.50" }),
  ]).toEqual(["taken", "taken", "taken"]);
  expect([await outcome({ price: "50000.5" }), await outcome({ price: "9.5" })]).toEqual([
    "PRICE_FILTER",
    "PRICE_FILTER",
  ]);
  expect([await outcome({ price: "100.25" }), await outcome({ price: "0" })]).toEqual([
    "FormatError",
    "FormatError",
  ]);
});

conforms("I4", "client", "holds a LIMIT amount to bounds and step before it signs", async () => {
  const { outcome } = placing(
    filters({
      AMOUNT_FILTER: { minAmount: "0.04", maxAmount: "0.2", stepSize: "0.02" },
      MARKET_AMOUNT_FILTER: { minAmount: "0.02", maxAmount: "10", stepSize: "0.02" },
    }),
  );
  expect([await outcome({ amount: "0.04" }), await outcome({ amount: "0.2" })]).toEqual([
    "taken",
    "taken",
  ]);
  expect([
    await outcome({ amount: "0.02" }),
    await outcome({ amount: "0.22" }),
    await outcome({ amount: "0" }),
  ]).toEqual(["AMOUNT_FILTER", "AMOUNT_FILTER", "AMOUNT_FILTER"]);
  expect(await outcome({ amount: "0.05" })).toBe("FormatError");
});

conforms("I5", "client", "holds a MARKET amount to bounds and step of its own", async () => {
  const { outcome } = placing(
    filters({
      AMOUNT_FILTER: { minAmount: "0.001", maxAmount: "100", stepSize: "0.001" },
      MARKET_AMOUNT_FILTER: { minAmount: "0.01", maxAmount: "1", stepSize: "0.005" },
    }),
  );
  const market = (amount: string) => outcome({ amount, orderType: "MARKET", timeInForce: "IOC" });
  expect([await market("0.01"), await market("0.015"), await market("1")]).toEqual([
    "taken",
    "taken",
    "taken",
  ]);
  expect([await market("0.005"), await market("1.005"), await market("0.012")]).toEqual([
    "MARKET_AMOUNT_FILTER",
    "MARKET_AMOUNT_FILTER",
    "MARKET_AMOUNT_FILTER",
  ]);
  expect(await outcome({ amount: "0.012" })).toBe("taken");
});

conforms("I6", "client", "counts the orders that rest against the filter", async () => {
  const { markets } = decodeRules(
    JSON.parse(withMarket(filters({ MAX_OPEN_ORDERS_FILTER: { limit: 3 } }))),
    ["btcusdc"],
  );
  const rules = markets.btcusdc;
  const instrument = new Instrument({
    marketId: "btcusdc",
    tickSize: "0.1",
    stepSize: "0.001",
    creditDecimals: 6,
    paperDecimals: 18,
  });
  const fits = {
    type: "LIMIT",
    ticks: instrument.parsePrice("2000"),
    lots: instrument.parseAmount("1"),
  } as const;
  if (rules === undefined) throw new Error("no rules");
  expect(rules.maxOpenOrders).toBe(3);
  expect([0, 2].map((open) => checkFilters(rules, fits, open))).toEqual([[], []]);
  for (const open of [3, 4])
    expect(checkFilters(rules, fits, open)).toMatchObject([
      { filter: "MAX_OPEN_ORDERS_FILTER", value: open },
    ]);
});

conforms("I7", "client", "takes both rate limits into its budget", async () => {
  const rateLimits = [
    { name: "COMMON", intervalSeconds: 30, limit: 77 },
    { name: "ORDER", intervalSeconds: 30, limit: 33 },
  ];
  const { client } = scripted({ "GET /v1/exchangeInfo": text({ ...EXCHANGE_INFO, rateLimits }) });
  const info = await client.exchangeInfo();
  expect(
    info.rateLimits.map(({ name, intervalSeconds, limit }) => ({ name, intervalSeconds, limit })),
  ).toEqual(rateLimits);
  expect([client.gate.available("time"), client.gate.available("placeOrder")]).toEqual([76, 33]);
});

conforms(
  "I8",
  "client",
  "signs nothing under a separator or type hash that is not its own",
  async () => {
    for (const name of [
      "EIP712_DOMAIN_SEPARATOR",
      "EIP712_DOMAIN_TYPEHASH",
      "EIP712_ORDER_TYPE",
    ] as const) {
      const eip712 = {
        ...EXCHANGE_INFO.eip712,
        [name]: EXCHANGE_INFO.eip712[name].replace(/.$/, "7"),
      };
      const { client, sent } = scripted({
        "GET /v1/exchangeInfo": text({ ...EXCHANGE_INFO, eip712 }),
        "POST /v1/order": text(ORDER),
      });
      await expect(client.place(order)).rejects.toMatchObject({
        differences: [{ field: name, expected: EXCHANGE_INFO.eip712[name] }],
      });
      expect(sent.map(({ method }) => method)).toEqual(["GET"]);
    }
  },
);

conforms(
  "I8",
  "client",
  "notices a domain whose parts do not give its separator, and trades where all agree",
  async () => {
    for (const change of [
      { chainId: 1 },
      { domainName: "MOJO" },
      { domainVersion: "2" },
      { verifyingContract: `0x${"1".repeat(40)}` },
    ]) {
      const { client } = scripted({
        "GET /v1/exchangeInfo": text({
          ...EXCHANGE_INFO,
          eip712: { ...EXCHANGE_INFO.eip712, ...change },
        }),
      });
      await expect(client.prepare(order)).rejects.toMatchObject({
        differences: [{ field: "EIP712_DOMAIN_SEPARATOR" }],
      });
    }
    const venue = await world();
    const { client } = await connected(venue);
    expect(await client.place(order)).toMatchObject({ status: "NEW" });
  },
);
