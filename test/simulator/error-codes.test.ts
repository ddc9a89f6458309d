import { afterAll, describe, expect, it } from "vitest";
import type { ExchangeConfigInput } from "#simulator/config.js";
import type { EmbeddedExchange, ExchangeOptions } from "#simulator/exchange.js";
import type { FlowMarket, RecordedDepth } from "#simulator/flow-market.js";
import { type HttpAnswer, Venue } from "./http-venue.js";
import { KEYS, ReferenceClient, START_MS } from "./reference-client.js";

const venue = new Venue();
afterAll(() => venue.close());

type World = Awaited<ReturnType<Venue["open"]>>;

interface Case {
  readonly code: number;
  readonly codeText: string;
  readonly status?: number;
  readonly what: string;
  readonly config?: Partial<ExchangeConfigInput>;
  readonly options?: ExchangeOptions;
  provoke(world: World): Promise<HttpAnswer>;
}

const BAD = "Bad params";
const MARKET = { marketId: "btcusdc" };
const stranger = new ReferenceClient(
  undefined as unknown as EmbeddedExchange,
  () => START_MS,
  KEYS[2],
);

/** A market whose recording becomes unreadable: a fault inside the exchange, like a broken file. */
function brokenRecording(): ExchangeOptions {
  let isBroken = false;
  const depth: RecordedDepth = {
    apply: () => {
      throw new Error("not used here");
    },
    best: () => undefined,
    lotsAt: () => 0,
    take: () => {},
    forEachLevel: () => {
      if (isBroken) {
        throw new Error("the recording is broken");
      }
    },
  };
  return {
    createFlow: () => ({
      start: (market: FlowMarket) => {
        market.attachRecorded(depth);
        isBroken = true;
      },
      stop: () => {},
    }),
  };
}

const CASES: readonly Case[] = [
  {
    code: 1010,
    codeText: "Unauthorized",
    status: 401,
    what: "a private request that names no account",
    provoke: ({ alice }) => alice.send("GET", "/balances"),
  },
  {
    code: 1010,
    codeText: "Unauthorized",
    status: 401,
    what: "one that is not signed",
    provoke: ({ alice }) =>
      alice.send("GET", "/balances", {
        account: alice.reference.address,
        timestamp: String(START_MS),
      }),
  },
  {
    code: 1010,
    codeText: "Unauthorized",
    status: 401,
    what: "one of an account that was never registered",
    provoke: ({ alice }) => alice.send("GET", "/balances", stranger.signed()),
  },
  {
    code: 1011,
    codeText: "Invalid timestamp",
    what: "a timestamp outside the window",
    provoke: ({ alice }) =>
      alice.signed("GET", "/balances", { timestamp: String(START_MS - 5001) }),
  },
  {
    code: 1012,
    codeText: "Invalid signature",
    what: "a request that another signed",
    provoke: ({ alice, bob }) =>
      alice.send("GET", "/balances", {
        ...bob.reference.signed(),
        account: alice.reference.address,
      }),
  },
  {
    code: 1012,
    codeText: "Invalid signature",
    what: "an order that another signed",
    provoke: ({ alice, bob }) =>
      alice.signed("POST", "/order", {
        ...alice.reference.order("BUY", "30000", "0.1"),
        orderSignature: bob.reference.order("BUY", "30000", "0.1").orderSignature,
      }),
  },
  {
    code: 1110,
    codeText: "Invalid account address",
    what: "reading an account whose address is none",
    provoke: ({ alice }) => alice.signed("GET", "/account", { account: "0xno" }),
  },
  {
    code: 1111,
    codeText: BAD,
    what: "a parameter that is missing",
    provoke: ({ alice }) => alice.signed("GET", "/historyOrders"),
  },
  {
    code: 1111,
    codeText: BAD,
    what: "fromId together with a time",
    provoke: ({ alice }) =>
      alice.signed("GET", "/userTrades", { ...MARKET, fromId: "1", endTime: "2" }),
  },
  ...["501", "0", "-1", "text", "1.5", "0x10", "1e2"].map((limit) => ({
    code: 1111,
    codeText: BAD,
    what: `a limit of ${limit}, which is not clamped`,
    provoke: ({ alice }: World) => alice.send("GET", "/trades", { ...MARKET, limit }),
  })),
  {
    code: 1112,
    codeText: "Invalid market id",
    what: "an unknown market",
    provoke: ({ alice }) => alice.send("GET", "/trades", { marketId: "nope" }),
  },
  {
    code: 1113,
    codeText: "Invalid time period",
    what: "a start that is not before its end",
    provoke: ({ alice }) =>
      alice.signed("GET", "/incomes", { ...MARKET, startTime: "5", endTime: "5" }),
  },
  {
    code: 2010,
    codeText: "Internal error",
    status: 500,
    what: "a fault of the exchange itself",
    options: brokenRecording(),
    provoke: ({ alice }) => alice.send("GET", "/orderbook", MARKET),
  },
  {
    code: 2011,
    codeText: "No such order",
    what: "cancelling an order that does not exist",
    provoke: ({ alice }) => alice.signed("DELETE", "/order", { ...MARKET, orderId: "1" }),
  },
  {
    code: 2012,
    codeText: "Margin insufficient",
    what: "an order beyond the margin",
    provoke: ({ alice }) => alice.place("BUY", "30000", "100"),
  },
  {
    code: 2013,
    codeText: "Market trading not enabled",
    what: "a market that is not open yet",
    config: { markets: { btcusdc: { status: "PENDING" } } },
    provoke: ({ alice }) => alice.place("BUY", "30000", "0.1"),
  },
  {
    code: 2014,
    codeText: "Market trading disabled",
    what: "a suspended market",
    config: { markets: { btcusdc: { status: "SUSPENDED" } } },
    provoke: ({ alice }) => alice.place("BUY", "30000", "0.1"),
  },
  {
    code: 2015,
    codeText: "Market delisted",
    what: "a delisted market",
    config: { markets: { btcusdc: { status: "DELISTED" } } },
    provoke: ({ alice }) => alice.place("BUY", "30000", "0.1"),
  },
  {
    code: 2016,
    codeText: "Invalid order",
    what: "a price off the tick",
    provoke: ({ alice }) => alice.place("BUY", "30000.05", "0.1"),
  },
  {
    code: 2016,
    codeText: "Invalid order",
    what: "an amount off the step",
    provoke: ({ alice }) => alice.place("BUY", "30000", "0.0005"),
  },
  {
    code: 2017,
    codeText: "Max open orders exceeded",
    what: "one open order too many",
    config: { markets: { btcusdc: { maxOpenOrders: 1 } } },
    provoke: async ({ alice }) => {
      await alice.place("BUY", "30000", "0.1");
      return alice.place("BUY", "30001", "0.1");
    },
  },
  {
    code: 2018,
    codeText: "Duplicated account",
    what: "registering twice",
    provoke: ({ alice }) => alice.signed("POST", "/account"),
  },
  {
    code: 4010,
    codeText: "Price greater than max price",
    what: "a price above the filter",
    provoke: ({ alice }) => alice.place("BUY", "10000000.1", "0.1"),
  },
  {
    code: 4011,
    codeText: "Price less than min price",
    what: "a price below the filter",
    config: { markets: { btcusdc: { priceQuote: { min: "100" } } } },
    provoke: ({ alice }) => alice.place("BUY", "99.9", "0.1"),
  },
  {
    code: 4012,
    codeText: "Invalid order info",
    what: "other fee rates",
    provoke: ({ alice }) => alice.place("BUY", "30000", "0.1", { makerRate: 0n }),
  },
  {
    code: 4012,
    codeText: "Invalid order info",
    what: "an expiration of less than ten years",
    provoke: ({ alice }) =>
      alice.place("BUY", "30000", "0.1", {
        infoExpirationSeconds: BigInt(START_MS / 1000 + 315_359_999),
      }),
  },
  {
    code: 4013,
    codeText: "Exposure greater than max account limit",
    what: "an order beyond the market's exposure",
    config: { markets: { btcusdc: { maxExposureQuote: "1000" } } },
    provoke: ({ alice }) => alice.place("BUY", "30000", "0.1"),
  },
  {
    code: 429,
    codeText: "Too many requests",
    status: 429,
    what: "one request too many",
    config: { rateLimits: { order: 1 } },
    provoke: async ({ alice }) => {
      await alice.place("BUY", "30000", "0.1");
      return alice.place("BUY", "30000", "0.1");
    },
  },
  {
    code: 418,
    codeText: "Too many requests",
    status: 418,
    what: "carrying on after that",
    config: { rateLimits: { order: 1, requestsBeforeBan: 1 } },
    provoke: async ({ alice }) => {
      await alice.place("BUY", "30000", "0.1");
      await alice.place("BUY", "30000", "0.1");
      return alice.place("BUY", "30000", "0.1");
    },
  },
];

describe("over HTTP", () => {
  it.each(CASES)(
    "$code $codeText answers $what",
    async ({ code, codeText, status = 400, config, options, provoke }) => {
      const world = await venue.open(config, options);
      const answer = await provoke(world);
      expect(answer).toEqual({ status, code, codeText, message: expect.stringMatching(/./) });
      expect(world.exchange.audit().isConserved).toBe(true);
    },
  );

  it("every code of the exchange is in this table", async () => {
    const { ERROR_CODES } = await import("#exchange/errors.js");
    expect(new Set(CASES.map(({ code }) => code))).toEqual(
      new Set([...Object.keys(ERROR_CODES).map(Number), 429, 418]),
    );
  });
});
