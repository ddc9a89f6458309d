import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ConfigError } from "../../src/core/errors.js";
import { choicesShape, type VenueChoices } from "../../src/simulator/choices.js";
import type { ExchangeConfigInput } from "../../src/simulator/config.js";
import { encode, KEYS, ReferenceClient, START_MS, traders, virtualExchange } from "./reference-client.js";

type World = ReturnType<typeof traders>;
type ChoicesInput = NonNullable<ExchangeConfigInput["choices"]>;

const MARKET = { marketId: "btcusdc" };
const TERMS = { ...MARKET, side: "BUY", orderType: "LIMIT", amount: "0.1", price: "30000", timeInForce: "GTC" };

/** One value of a choice, and what a client sees of it. */
interface Case {
  readonly value: unknown;
  readonly also?: ChoicesInput;
  readonly config?: Partial<ExchangeConfigInput>;
  readonly sees: (world: World) => void | Promise<void>;
}

const history = ({ bob }: World) => bob.call("GET", "/v1/historyOrders", MARKET).json;
const info = ({ alice }: World) => alice.raw("GET", "/v1/exchangeInfo").json;

/** Bob's order meets all of Alice's at once and waits for its settlement. */
function matched(world: World) {
  world.alice.place("SELL", "30000", "0.1");
  return world.bob.place("BUY", "30000", "0.1").json;
}

function signsFor({ exchange, clock, alice }: World): ReferenceClient {
  return new ReferenceClient(exchange, () => clock.nowMs(), KEYS[1], "10.0.0.9", true, alice.address);
}

/** Bob's own resting SELL in the way of his BUY: what each ended as. */
function crossesItself({ bob }: World): { resting: string; incoming: string } {
  const resting = bob.place("SELL", "30000", "0.1").json.id;
  const incoming = bob.place("BUY", "30000", "0.1").json.id;
  const statusOf = (id: number) => {
    const open = bob.call("GET", "/v1/openOrder", { ...MARKET, orderId: String(id) });
    return open.status === 200 ? open.json.status : bob.call("GET", "/v1/order", { ...MARKET, orderId: String(id) }).json.status;
  };
  return { resting: statusOf(resting), incoming: statusOf(incoming) };
}

/** An order of two matches of which one settled and one failed, under the first seed that does that. */
async function partlyFailed(choices: ChoicesInput): Promise<{ status: string }> {
  for (let seed = 1; seed < 100; seed += 1) {
    const world = traders({ seed, settlement: { failureRate: 0.5 }, choices });
    world.alice.place("SELL", "30000", "0.1");
    world.alice.place("SELL", "30000", "0.1");
    world.bob.place("BUY", "30000", "0.2");
    await world.clock.runFor(2000);
    const [order] = history(world);
    if (order.failedAmount === "0.1" && order.filledAmount === "0.1") {
      return order;
    }
  }
  throw new Error("no seed fails one of two");
}

const CASES: Readonly<Record<keyof VenueChoices, readonly Case[]>> = {
  errorStatus: [400, 422].map((value) => ({
    value,
    sees: ({ alice }) => expect(alice.cancel("1")).toMatchObject({ status: value, json: { code: 2011 } }),
  })),
  unauthorizedStatus: [401, 403].map((value) => ({
    value,
    sees: ({ alice }) => {
      expect(alice.raw("GET", "/v1/balances")).toMatchObject({ status: value, json: { code: 1010 } });
      expect(alice.cancel("1").status).toBe(400);
    },
  })),
  codeStatus: [
    { value: {}, sees: ({ alice }) => expect(alice.cancel("1").status).toBe(400) },
    {
      value: { "2011": 404, "1010": 407 },
      sees: ({ alice }) => {
        expect(alice.cancel("1")).toMatchObject({ status: 404, json: { code: 2011 } });
        expect(alice.raw("GET", "/v1/balances").status).toBe(407);
        expect(alice.call("POST", "/v1/account").status).toBe(400);
      },
    },
  ],
  foreignSigner: [
    { value: "1012", sees: (world) => expect(signsFor(world).call("GET", "/v1/balances").json).toMatchObject({ code: 1012 }) },
    { value: "1010", sees: (world) => expect(signsFor(world).call("GET", "/v1/balances").json).toMatchObject({ code: 1010 }) },
  ],
  unregisteredAccount: ["1010", "1110"].map((value) => ({
    value,
    sees: ({ exchange, clock }) => {
      const key = `0x${"11".repeat(32)}`;
      const stranger = new ReferenceClient(exchange, () => clock.nowMs(), key, "10.0.0.9", true);
      expect(stranger.call("GET", "/v1/account").json).toMatchObject({ code: Number(value) });
      expect(stranger.call("GET", "/v1/openOrders").json).toMatchObject({ code: Number(value) });
    },
  })),
  recvWindow: [
    {
      value: "ignore",
      sees: ({ alice }) => {
        const at = (offsetMs: number) => ({ timestamp: String(START_MS + offsetMs), recvWindow: "20000" });
        expect(alice.call("GET", "/v1/balances", at(-6000)).json).toMatchObject({ code: 1011 });
      },
    },
    {
      value: "honour",
      sees: ({ alice }) => {
        const ask = (offsetMs: number, recvWindow: string) =>
          alice.call("GET", "/v1/balances", { timestamp: String(START_MS + offsetMs), recvWindow });
        expect(ask(-20_000, "20000").status).toBe(200);
        expect(ask(-20_001, "20000").json).toMatchObject({ code: 1011 });
        expect(ask(-101, "100").json).toMatchObject({ code: 1011 });
        expect(ask(-60_001, "999999").json).toMatchObject({ code: 1011 });
        expect(ask(-5001, "soon").json).toMatchObject({ code: 1011 });
      },
    },
  ],
  emptyTimeRange: [
    {
      value: "reject",
      sees: ({ alice }) =>
        expect(alice.call("GET", "/v1/incomes", { ...MARKET, startTime: "9", endTime: "9" }).json).toMatchObject({ code: 1113 }),
    },
    {
      value: "empty-list",
      sees: ({ alice }) => {
        for (const path of ["/v1/incomes", "/v1/userTrades", "/v1/historyOrders", "/v1/fundingRate"]) {
          expect(alice.call("GET", path, { ...MARKET, startTime: "9", endTime: "5" })).toMatchObject({ status: 200, json: [] });
        }
        const range = { ...MARKET, interval: "1M", startTime: String(START_MS), endTime: "1" };
        expect(alice.raw("GET", "/v1/klines", range)).toMatchObject({ status: 200, json: [] });
      },
    },
  ],
  crossingPostOnly: ["EXPIRED", "CANCELED", "REJECT"].map((value) => ({
    value,
    sees: (world) => {
      world.alice.place("SELL", "30000", "0.1");
      const answer = world.bob.place("BUY", "30000", "0.1", { timeInForce: "POST_ONLY" });
      if (value === "REJECT") {
        expect(answer.json).toMatchObject({ code: 2016 });
        expect(history(world)).toEqual([]);
      } else {
        expect(answer.json).toMatchObject({ status: "NEW" });
        expect(history(world)).toMatchObject([{ status: value }]);
      }
    },
  })),
  selfMatch: [
    { value: "cancel-resting", sees: (world) => expect(crossesItself(world)).toEqual({ resting: "CANCELED", incoming: "NEW" }) },
    { value: "cancel-incoming", sees: (world) => expect(crossesItself(world)).toEqual({ resting: "NEW", incoming: "CANCELED" }) },
    { value: "cancel-both", sees: (world) => expect(crossesItself(world)).toEqual({ resting: "CANCELED", incoming: "CANCELED" }) },
  ],
  selfMatchEnd: ["CANCELED", "EXPIRED"].map((value) => ({
    value,
    also: { selfMatch: "cancel-both" },
    sees: (world) => expect(crossesItself(world)).toEqual({ resting: value, incoming: value }),
  })),
  unfilledFok: ["EXPIRED", "CANCELED", "REJECT"].map((value) => ({
    value,
    sees: (world) => {
      world.alice.place("SELL", "30000", "0.1");
      const answer = world.bob.place("BUY", "30000", "0.2", { timeInForce: "FOK" });
      if (value === "REJECT") {
        expect(answer.json).toMatchObject({ code: 2016 });
        expect(history(world)).toEqual([]);
        expect(world.bob.place("BUY", "30000", "0.1", { timeInForce: "FOK" }).status).toBe(200);
      } else {
        expect(history(world)).toMatchObject([{ status: value, filledAmount: "0", pendingAmount: "0" }]);
      }
    },
  })),
  iocRemainder: ["EXPIRED", "CANCELED"].map((value) => ({
    value,
    sees: (world) => {
      world.alice.place("SELL", "30000", "0.1");
      world.bob.place("BUY", "30000", "0.3", { timeInForce: "IOC" });
      world.bob.place("BUY", "30000", "0.3", { type: "MARKET" });
      const left = value === "EXPIRED" ? "expiredAmount" : "canceledAmount";
      expect(history(world)).toMatchObject([
        { status: value, pendingAmount: "0.1", [left]: "0.2" },
        { status: value, pendingAmount: "0", [left]: "0.3" },
      ]);
    },
  })),
  acceptedStatus: ["NEW", "CREATED"].map((value) => ({
    value,
    sees: ({ alice }) => {
      expect(alice.place("BUY", "30000", "0.1").json).toMatchObject({ status: value });
      expect(alice.openOrders()).toMatchObject([{ status: "NEW" }]);
    },
  })),
  gttWithoutExpiration: [
    {
      value: "reject",
      sees: ({ alice }) =>
        expect(alice.call("POST", "/v1/order/build", { ...TERMS, timeInForce: "GTT" }).json).toMatchObject({ code: 1111 }),
    },
    {
      value: "default-life",
      sees: ({ alice }) => {
        const infoExpirationSeconds = BigInt(START_MS / 1000 + 90);
        expect(alice.place("BUY", "30000", "0.1", { timeInForce: "GTT", infoExpirationSeconds }).json).toMatchObject({
          expiration: START_MS + 90_000,
        });
      },
    },
  ],
  gttDefaultLifeMs: [3_600_000, 90_000].map((value) => ({
    value,
    also: { gttWithoutExpiration: "default-life" },
    sees: ({ alice }) => {
      const built = alice.call("POST", "/v1/order/build", { ...TERMS, timeInForce: "GTT" }).json;
      expect(Number(BigInt(`0x${built.order.info.slice(34, 50)}`)) * 1000).toBe(START_MS + value);
    },
  })),
  expirationUnit: [
    {
      value: "ms",
      sees: ({ alice }) => {
        const expirationMs = START_MS + 90_000;
        expect(alice.place("BUY", "30000", "0.1", { timeInForce: "GTT", expirationMs }).json).toMatchObject({ expiration: expirationMs });
      },
    },
    {
      value: "s",
      sees: ({ alice }) => {
        const expirationMs = START_MS + 90_000;
        const expiration = expirationMs / 1000;
        const order = alice.order("BUY", "30000", "0.1", { timeInForce: "GTT", expirationMs });
        expect(alice.call("POST", "/v1/order", order).json).toMatchObject({ code: 1111 });
        expect(alice.call("POST", "/v1/order", { ...order, expiration: String(expiration) }).json).toMatchObject({ expiration });
      },
    },
  ],
  expirationWithoutGtt: [
    {
      value: "ignore",
      sees: ({ alice }) =>
        expect(alice.place("BUY", "30000", "0.1", { overrides: { expiration: "5" } }).json).toMatchObject({ expiration: 0 }),
    },
    {
      value: "reject",
      sees: ({ alice }) =>
        expect(alice.place("BUY", "30000", "0.1", { overrides: { expiration: "5" } }).json).toMatchObject({ code: 1111 }),
    },
  ],
  buyCreditRounding: [
    ["up", "-3001"],
    ["down", "-3000"],
  ].map(([value, creditAmount]) => ({
    value,
    config: { creditDecimals: 2, markets: { btcusdc: { tickSize: "0.01", priceQuote: { min: "0.01" } } } },
    sees: ({ alice }) => {
      // 30000.01 x 0.001 in hundredths.
      const built = alice.call("POST", "/v1/order/build", { ...TERMS, amount: "0.001", price: "30000.01" }).json;
      expect(built.order).toMatchObject({ creditAmount });
    },
  })),
  closedPositions: [
    ["latest", [{ status: "CLOSED", size: "0" }]],
    ["omit", []],
  ].map(([value, expected]) => ({
    value,
    sees: ({ alice, bob }) => {
      alice.place("SELL", "30000", "0.1");
      bob.place("BUY", "30000", "0.1");
      bob.place("SELL", "30000", "0.1");
      alice.place("BUY", "30000", "0.1");
      expect(alice.call("GET", "/v1/positions").json).toMatchObject(expected as object[]);
      expect(alice.balances().positions).toHaveLength((expected as object[]).length);
    },
  })),
  matchedOrderStatus: ["PARTIAL_FILLED", "FILLED"].map((value) => ({
    value,
    sees: async (world) => {
      matched(world);
      expect(world.bob.openOrders()).toMatchObject([{ status: value, pendingAmount: "0.1", filledAmount: "0" }]);
      await world.clock.runFor(2000);
      expect(history(world)).toMatchObject([{ status: "FILLED", filledAmount: "0.1" }]);
    },
  })),
  matchedOrderList: ["open", "history"].map((value) => ({
    value,
    also: { matchedOrderStatus: "FILLED" },
    sees: (world) => {
      const { id } = matched(world);
      const at = { ...MARKET, orderId: String(id) };
      const [open, final] = value === "open" ? [1, 0] : [0, 1];
      expect([world.bob.openOrders().length, history(world).length]).toEqual([open, final]);
      expect(world.bob.call("GET", "/v1/openOrder", at).status).toBe(open === 1 ? 200 : 400);
      expect(world.bob.call("GET", "/v1/order", at).status).toBe(final === 1 ? 200 : 400);
    },
  })),
  matchedOrderCancel: [
    { value: "refuse", sees: (world) => expect(world.bob.cancel(matched(world).id).json).toMatchObject({ code: 2011 }) },
    {
      value: "accept",
      sees: async (world) => {
        const { id } = matched(world);
        expect(world.bob.cancel(id).status).toBe(204);
        await world.clock.runFor(2000);
        expect(history(world)).toMatchObject([{ status: "FILLED", filledAmount: "0.1", canceledAmount: "0" }]);
        expect(world.bob.cancel(id).json).toMatchObject({ code: 2011 });
      },
    },
  ],
  matchedOrderCounts: [false, true].map((value) => ({
    value,
    config: { markets: { btcusdc: { maxOpenOrders: 1 } } },
    sees: async (world) => {
      matched(world);
      expect(world.bob.place("BUY", "29000", "0.1").status).toBe(value ? 400 : 200);
      await world.clock.runFor(2000);
      expect(world.bob.place("BUY", "29000", "0.1").status).toBe(value ? 200 : 400);
    },
  })),
  endedOrderList: ["history", "open"].map((value) => ({
    value,
    sees: async (world) => {
      world.alice.place("SELL", "30000", "0.1");
      const { id } = world.bob.place("BUY", "30000", "0.3").json;
      expect(world.bob.cancel(id).status).toBe(204);
      expect([world.bob.openOrders().length, history(world).length]).toEqual(value === "history" ? [0, 1] : [1, 0]);
      expect(world.bob.cancel(id).json).toMatchObject({ code: 2011 });
      await world.clock.runFor(2000);
      expect(history(world)).toMatchObject([{ status: "CANCELED", filledAmount: "0.1", canceledAmount: "0.2", pendingAmount: "0" }]);
      expect(world.bob.openOrders()).toEqual([]);
    },
  })),
  partlyFailed: ["FAILED", "FILLED"].map((value) => ({
    value,
    sees: async () => expect(await partlyFailed({ partlyFailed: value as "FAILED" | "FILLED" })).toMatchObject({ status: value }),
  })),
  averagePriceFrom: [
    {
      value: "match",
      sees: (world) => {
        matched(world);
        expect(world.bob.openOrders()).toMatchObject([{ averagePrice: "30000" }]);
      },
    },
    {
      value: "settlement",
      sees: async (world) => {
        matched(world);
        expect(world.bob.openOrders()[0]).not.toHaveProperty("averagePrice");
        await world.clock.runFor(2000);
        expect(history(world)).toMatchObject([{ averagePrice: "30000" }]);
      },
    },
  ],
  openOrderWithoutId: [
    ["newest", { price: "29001" }],
    ["oldest", { price: "29000" }],
    ["reject", { code: 1111 }],
  ].map(([value, expected]) => ({
    value,
    sees: ({ alice }) => {
      alice.place("BUY", "29000", "0.1");
      alice.place("BUY", "29001", "0.1");
      expect(alice.call("GET", "/v1/openOrder").json).toMatchObject(expected as object);
    },
  })),
  failedTradeStatus: ["FAILED", "REVERTED"].map((value) => ({
    value,
    config: { settlement: { failureRate: 1 } },
    sees: async (world) => {
      matched(world);
      await world.clock.runFor(2000);
      expect(world.bob.call("GET", "/v1/userTrades", MARKET).json).toMatchObject([{ status: value }]);
      expect(world.bob.raw("GET", "/v1/trades", MARKET).json).toMatchObject([{ status: value }]);
    },
  })),
  waiverUnit: [
    {
      value: "quote",
      also: { waiveGasFeeMinimumAmount: "3000" },
      sees: ({ alice }) => {
        expect(alice.place("BUY", "29999.9", "0.1").json).toMatchObject({ code: 4012 });
        expect(alice.place("BUY", "30000", "0.1").status).toBe(200);
      },
    },
    {
      value: "base",
      also: { waiveGasFeeMinimumAmount: "0.1" },
      sees: ({ alice }) => {
        expect(alice.place("BUY", "30000", "0.099").json).toMatchObject({ code: 4012 });
        expect(alice.place("BUY", "29000", "0.1").status).toBe(200);
      },
    },
  ],
  waiveGasFeeMinimumAmount: [
    {
      value: "dynamic",
      config: { gasFee: { gasLimit: 100_000, minGasPriceWei: "1000000000", maxGasPriceWei: "1000000000", waiverMultiple: 100 } },
      sees: (world) => {
        // A hundred times 0.3 quote.
        expect(info(world).gasFeeInfo.waiveGasFeeMinimumAmount).toBe("30");
        expect(world.alice.place("BUY", "29999.9", "0.001").json).toMatchObject({ code: 4012 });
        expect(world.alice.place("BUY", "30000", "0.001").status).toBe(200);
      },
    },
    {
      value: "40.5",
      sees: (world) => {
        expect(info(world).gasFeeInfo.waiveGasFeeMinimumAmount).toBe("40.5");
        expect(world.alice.place("BUY", "40499.9", "0.001").json).toMatchObject({ code: 4012 });
      },
    },
  ],
  gasPriceUnit: [
    ["wei", "2500000000"],
    ["gwei", "2.5"],
    ["eth", "0.0000000025"],
  ].map(([value, gasPrice]) => ({
    value,
    config: { gasFee: { minGasPriceWei: "2500000000", maxGasPriceWei: "2500000000" } },
    sees: (world) => expect(info(world).gasFeeInfo).toMatchObject({ gasPrice }),
  })),
  gasFeeQuotationLifeMs: [60_000, 5000].map((value) => ({
    value,
    sees: async ({ alice, clock }) => {
      const build = () => alice.call("POST", "/v1/order/build", TERMS).json;
      const [early, late] = [build(), build()];
      const place = (built: ReturnType<typeof build>) =>
        alice.call("POST", "/v1/order", {
          ...TERMS,
          info: built.order.info,
          orderSignature: alice.order("BUY", "1", "1").orderSignature,
          gasFeeQuotation: built.gasFeeQuotation,
        });
      await clock.runFor(value);
      expect(place(early).status).toBe(200);
      await clock.runFor(1);
      expect(place(late).json).toMatchObject({ code: 4012 });
    },
  })),
  accountEndpointsSigned: [true, false].map((value) => ({
    value,
    sees: ({ alice }) => {
      const fresh = `0x${"cd".repeat(20)}`;
      const opened = alice.raw("POST", "/v1/account", { account: fresh }, "form");
      const read = alice.raw("GET", "/v1/account", { account: alice.address });
      expect([opened.status, read.status]).toEqual(value ? [401, 401] : [200, 200]);
      expect(alice.raw("GET", "/v1/balances", { account: alice.address }).status).toBe(401);
    },
  })),
  accountIncomes: [
    ["every-market", 1],
    ["omit", 0],
  ].map(([value, count]) => ({
    value,
    sees: ({ alice }) => expect(alice.call("GET", "/v1/incomes", { ...MARKET, type: "DEPOSIT" }).json).toHaveLength(count as number),
  })),
  emptyBars: [
    ["omit", 2],
    ["repeat", 4],
  ].map(([value, count]) => ({
    value,
    sees: async (world) => {
      matched(world);
      await world.clock.runFor(180_000);
      matched(world);
      expect(world.alice.raw("GET", "/v1/klines", { ...MARKET, interval: "1M" }).json).toHaveLength(count as number);
    },
  })),
  postOnly: [
    {
      value: "accept",
      sees: (world) => {
        expect(info(world).markets[0].timeInForce).toContain("POST_ONLY");
        expect(world.alice.place("BUY", "30000", "0.1", { timeInForce: "POST_ONLY" }).status).toBe(200);
      },
    },
    {
      value: "reject",
      sees: (world) => {
        expect(info(world).markets[0].timeInForce).not.toContain("POST_ONLY");
        expect(world.alice.place("BUY", "30000", "0.1", { timeInForce: "POST_ONLY" }).json).toMatchObject({ code: 1111 });
      },
    },
  ],
  revokedOperatorOrders: [
    ["cancel", 0],
    ["keep", 1],
  ].map(([value, open]) => ({
    value,
    sees: (world) => {
      const operator = signsFor(world);
      const set = (isValid: string) => world.alice.call("POST", "/operator", { operator: operator.address, isValid });
      set("true");
      operator.place("BUY", "30000", "0.1");
      set("false");
      expect(world.alice.openOrders()).toHaveLength(open as number);
    },
  })),
  registrationIncome: ["DEPOSIT", "BONUS"].map((value) => ({
    value,
    sees: ({ alice }) => expect(alice.call("GET", "/v1/incomes", MARKET).json).toMatchObject([{ type: value, amount: "100000" }]),
  })),
  riskyAccountsCacheMs: [1000, 0].map((value) => ({
    value,
    config: { creditOnRegistration: "910", markets: { btcusdc: { maxLeverage: 33, makerFeeRate: "0", takerFeeRate: "0" } } },
    sees: async ({ exchange, alice, bob, clock }) => {
      const risky = () => alice.raw("GET", "/v1/riskyAccounts").json.length;
      // 900 of maintenance margin against 910.
      bob.place("SELL", "30000", "1");
      alice.place("BUY", "30000", "1");
      expect(risky()).toBe(2);
      exchange.deposit(alice.address, "1000");
      await clock.runFor(Math.max(0, value - 1));
      expect(risky()).toBe(value === 0 ? 1 : 2);
      await clock.runFor(1);
      expect(risky()).toBe(1);
    },
  })),
};

describe("a choice of the venue", () => {
  const cases = Object.entries(CASES).flatMap(([key, values]) =>
    values.map((each) => ({ key, text: JSON.stringify(each.value), ...each })),
  );

  it.each(cases)("$key: $text", async ({ key, value, also = {}, config = {}, sees }) => {
    const world = traders({ ...config, choices: { ...also, [key]: value } });
    await sees(world);
    expect(world.exchange.audit().isConserved).toBe(true);
    world.exchange.stop();
  });

  it("is tried here with every value that it can have, its default first", () => {
    const { properties = {} } = z.toJSONSchema(choicesShape, { io: "input" }) as {
      properties?: Record<string, { enum?: string[]; type?: string }>;
    };
    const defaults = choicesShape.parse({});
    expect(Object.keys(CASES).sort()).toEqual(Object.keys(properties).sort());
    for (const [key, node] of Object.entries(properties)) {
      const tried = CASES[key as keyof VenueChoices].map(({ value }) => value);
      const words: readonly unknown[] | undefined = node.enum ?? (node.type === "boolean" ? [true, false] : undefined);
      expect(tried[0], key).toEqual(defaults[key as keyof VenueChoices]);
      expect(tried.length, key).toBeGreaterThan(1);
      if (words !== undefined) {
        expect(new Set(tried), key).toEqual(new Set(words));
      }
    }
  });

  it("that contradicts another is refused", () => {
    expect(() => traders({ choices: { matchedOrderList: "history" } })).toThrow(ConfigError);
    expect(() => traders({ choices: { codeStatus: { "9999": 400 } as never } })).toThrow(/choices\.codeStatus/);
  });
});

describe("with real signatures", () => {
  it("a JSON body whose type is spelled in capitals is JSON all the same", () => {
    const { exchange, clock } = virtualExchange();
    const alice = new ReferenceClient(exchange, () => clock.nowMs()).register();
    const body = JSON.stringify(alice.signed(alice.order("BUY", "30000", "0.1")));
    const answer = exchange.handle({
      method: "POST",
      path: "/v1/order",
      query: encode({}),
      body,
      contentType: "Application/JSON",
      ip: "10.0.0.1",
    });
    expect(answer.status).toBe(200);
  });
});
