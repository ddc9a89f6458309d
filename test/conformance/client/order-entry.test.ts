import { recoverAddress } from "ethers";
import { expect } from "vitest";
import type { ExchangeClientOptions } from "#exchange/exchange-client.js";
import type { OrderSettings } from "#exchange/order-settings.js";
import { KEYS, START_MS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { type World, worlds } from "../exchange/world.js";
import { BUILD, EXCHANGE_INFO, MARKET, ORDER, text } from "./examples.js";
import { connections, type Scripted, scripted } from "./world.js";

const world = worlds();
const connected = connections();
const BTC = { marketId: "btcusdc" };
const BID = { ...BTC, side: "BUY", amount: "0.1", price: "2000" } as const;
const MINUTE = 60_000;
const WEEK = 7 * 86_400_000;
const TEN_YEARS_SECONDS = 10 * 365.25 * 86_400;
const info = (change: object = {}, market: object = {}) =>
  text({ ...EXCHANGE_INFO, ...change, markets: [{ ...MARKET, ...market }] });
const words = (packed: string) =>
  [2, 18, 34, 50].map((at) => BigInt(`0x${packed.slice(at, at + 16)}`));

function placer(
  orders: OrderSettings = {},
  answers: Record<string, Scripted> = {},
  more: Partial<ExchangeClientOptions> = {},
) {
  return scripted(
    {
      "GET /v1/exchangeInfo": info(),
      "POST /v1/order": text(ORDER),
      "POST /v1/order/build": text(BUILD),
      ...answers,
    },
    { orders, ...more },
  );
}

conforms(
  "R3",
  "client",
  "sends a build's words as they were given, with expiration for GTT alone",
  async () => {
    const { client, last } = placer();
    const terms = { ...BID, orderType: "LIMIT", timeInForce: "GTC" } as const;
    await client.buildOrder(terms);
    const { account, timestamp, signature, ...sent } = last().params;
    expect([last().method, last().path, sent]).toEqual(["POST", "/v1/order/build", terms]);
    expect([account, timestamp?.length, signature?.length]).toEqual([client.address, 13, 132]);
    await client.buildOrder({ ...terms, timeInForce: "GTT", expiration: 1_780_272_200_000 });
    expect(last().params).toMatchObject({ timeInForce: "GTT", expiration: "1780272200000" });
    for (const [field, value] of Object.entries({
      side: "buy",
      orderType: "STOP",
      timeInForce: "DAY",
      amount: "1e3",
      price: "-1",
      expiration: 1.5,
    })) {
      await expect(client.buildOrder({ ...terms, [field]: value })).rejects.toMatchObject({
        name: "ConfigError",
        field,
      });
    }
  },
);

conforms("R3", "client", "asks for GTC where nothing else is said", async () => {
  const { client } = await connected(await world());
  expect(await client.place({ ...BID, price: "30000" })).toMatchObject({
    tif: "GTC",
    type: "LIMIT",
  });
});

conforms(
  "R4",
  "client",
  "sends the order's words with its signature and info, and takes no other order for it",
  async () => {
    const { client, last } = placer();
    const prepared = await client.prepare(BID);
    await expect(client.send(prepared)).rejects.toMatchObject({ name: "BuiltOrderError" });
    const { account, timestamp, signature, ...sent } = last().params;
    expect(sent).toEqual({
      ...BID,
      orderType: "LIMIT",
      timeInForce: "GTC",
      info: prepared.order.info,
      orderSignature: prepared.params.orderSignature,
    });
    expect(recoverAddress(prepared.hash, sent.orderSignature ?? "")).toBe(account);
    const echoing = placer({}, { "POST /v1/order": text({ ...ORDER, hash: prepared.hash }) });
    expect(await echoing.client.send(prepared)).toMatchObject({ hash: prepared.hash });
  },
);

conforms("R4", "client", "signs a build only where it is what was asked for", async () => {
  const venue = await world();
  const honest = await connected(venue, KEYS[0], { orders: { placement: "server" } });
  const built = await honest.client.buildOrder({
    ...BID,
    price: "30000",
    orderType: "LIMIT",
    timeInForce: "GTC",
  });
  const { order } = built;
  // A dishonest exchange would hash what it wrote: only the terms themselves give it away.
  const wire = (change: object, more: object = {}) => {
    const { extra: _, ...plain } = order;
    const bent = {
      ...plain,
      paperAmount: String(order.paperAmount),
      creditAmount: String(order.creditAmount),
      ...change,
    };
    return text({
      orderHash: venue.alice.reference.hashOf(bent),
      gasFeeQuotation: built.gasFeeQuotation,
      order: bent,
      ...more,
    });
  };
  const rules = (await venue.alice.read("/v1/exchangeInfo")).body;
  const wrong = [
    wire({ creditAmount: String(order.creditAmount - 1n) }),
    wire({ paperAmount: String(order.paperAmount * 2n) }),
    wire({ paperAmount: String(-order.paperAmount), creditAmount: String(-order.creditAmount) }),
    wire({ perp: venue.alice.address }),
    wire({ signer: venue.bob.address }),
    wire({ info: order.info.replace("ffffa50c", "ffffa50d") }),
    wire({ info: `${order.info.slice(0, 34)}${"0".repeat(16)}${order.info.slice(50)}` }),
    wire({}, { orderHash: `0x${"1".repeat(64)}` }),
  ];
  for (const body of wrong) {
    const { client, sent } = placer(
      { placement: "server" },
      { "GET /v1/exchangeInfo": rules, "POST /v1/order/build": body },
    );
    await expect(client.place({ ...BID, price: "30000" })).rejects.toMatchObject({
      name: "BuiltOrderError",
    });
    expect(sent.map(({ path }) => path)).not.toContain("/v1/order");
  }
  const right = placer(
    { placement: "server" },
    {
      "GET /v1/exchangeInfo": rules,
      "POST /v1/order/build": wire({}),
      "POST /v1/order": text({ ...ORDER, hash: built.orderHash }),
    },
  );
  expect(await right.client.place({ ...BID, price: "30000" })).toMatchObject({
    hash: built.orderHash,
  });
});

/** A client of a venue whose waiver is 3,000 quote. */
const waiving = async (
  orders: OrderSettings = {},
): Promise<{ client: Awaited<ReturnType<typeof connected>>["client"]; venue: World }> => {
  const venue = await world({ choices: { waiveGasFeeMinimumAmount: "3000" } });
  return { client: (await connected(venue, KEYS[0], { orders })).client, venue };
};

conforms(
  "R5",
  "client",
  "has an order below the waiver built by the exchange and sends its token, and spares it above",
  async () => {
    const { client } = await waiving();
    const small = await client.prepare({ ...BID, price: "30000", amount: "0.099" });
    expect(small.params.gasFeeQuotation).toMatch(/./);
    expect(await client.send(small)).toMatchObject({ status: "NEW" });
    const large = await client.prepare({ ...BID, price: "30000", amount: "0.1" });
    expect(large.params).not.toHaveProperty("gasFeeQuotation");
    expect(await client.send(large)).toMatchObject({ status: "NEW" });
  },
);

conforms(
  "R5",
  "client",
  "sends the token always where it is told to, and compares in base where the venue does",
  async () => {
    const always = await waiving({ placement: "server", gasFeeQuotation: "always" });
    expect(
      (await always.client.prepare({ ...BID, price: "30000", amount: "0.2" })).params
        .gasFeeQuotation,
    ).toMatch(/./);
    const { client, sent } = placer(
      { waiverUnit: "base" },
      {
        "GET /v1/exchangeInfo": info({
          gasFeeInfo: { ...EXCHANGE_INFO.gasFeeInfo, waiveGasFeeMinimumAmount: "0.5" },
        }),
      },
    );
    await client.prepare({ ...BID, amount: "0.5" });
    expect(sent.map(({ path }) => path)).toEqual(["/v1/exchangeInfo"]);
    await client.prepare({ ...BID, amount: "0.499" }).catch(() => undefined);
    expect(sent.map(({ path }) => path)).toEqual(["/v1/exchangeInfo", "/v1/order/build"]);
  },
);

conforms("R5", "client", "hears of a token that is not good as 4012", async () => {
  const { client, venue } = await waiving();
  const prepared = await client.prepare({ ...BID, price: "30000", amount: "0.05" });
  const forged = {
    ...prepared,
    params: { ...prepared.params, gasFeeQuotation: `${prepared.params.gasFeeQuotation}0` },
  };
  await expect(client.send(forged)).rejects.toMatchObject({
    name: "VenueError",
    code: 4012,
    codeName: "INVALID_ORDER_INFO_ERROR",
  });
  await venue.clock.runFor(300_000);
  await expect(client.send(prepared)).rejects.toMatchObject({ code: 4012 });
});

conforms(
  "R17",
  "client",
  "signs no GTT order of a minute or less, or of a week or more",
  async () => {
    const { client, sent } = placer();
    const gtt = (life: number) =>
      client.prepare({ ...BID, timeInForce: "GTT", expiration: START_MS + life });
    for (const life of [MINUTE, 0, -1, WEEK, WEEK + 1000])
      await expect(gtt(life)).rejects.toMatchObject({ name: "ConfigError", field: "expiration" });
    await expect(client.prepare({ ...BID, timeInForce: "GTT" })).rejects.toMatchObject({
      field: "expiration",
    });
    for (const life of [MINUTE + 1000, WEEK - 1000])
      expect((await gtt(life)).params.expiration).toBe(START_MS + life);
    expect(sent.filter(({ method }) => method === "POST")).toEqual([]);
  },
);

conforms(
  "R18",
  "client",
  "signs an expiration more than ten years ahead in every other time in force",
  async () => {
    const { client } = placer();
    for (const timeInForce of ["GTC", "IOC", "FOK", "POST_ONLY"] as const) {
      const { order, params } = await client.prepare({ ...BID, timeInForce });
      expect(Number(words(order.info)[2])).toBeGreaterThan(START_MS / 1000 + TEN_YEARS_SECONDS);
      expect(params).not.toHaveProperty("expiration");
    }
  },
);

conforms(
  "R19",
  "client",
  "writes the very second of the expiration parameter into a GTT info",
  async () => {
    const { client } = placer();
    for (const offset of [90_000, 90_500, 90_999]) {
      const { order, params } = await client.prepare({
        ...BID,
        timeInForce: "GTT",
        expiration: START_MS + offset,
      });
      expect([words(order.info)[2], params.expiration]).toEqual([
        BigInt(START_MS / 1000 + 90),
        START_MS + 90_000,
      ]);
    }
    const { client: live } = await connected(await world());
    expect(
      await live.place({
        ...BID,
        price: "30000",
        timeInForce: "GTT",
        expiration: START_MS + 90_999,
      }),
    ).toMatchObject({ tif: "GTT" });
  },
);

conforms(
  "R20",
  "client",
  "signs the market's fee rates, or those of an agreement where there is one",
  async () => {
    const two = (value: bigint) => BigInt.asUintN(64, value);
    const { client } = placer(
      {},
      { "GET /v1/exchangeInfo": info({}, { makerFee: "-0.0001", takerFee: "0.0003" }) },
    );
    expect(words((await client.prepare(BID)).order.info).slice(0, 2)).toEqual([
      two(-(10n ** 14n)),
      3n * 10n ** 14n,
    ]);
    const agreed = placer({
      feeRates: { btcusdc: { makerFeeRate: "-0.00025", takerFeeRate: "0" } },
    });
    expect(words((await agreed.client.prepare(BID)).order.info).slice(0, 2)).toEqual([
      two(-25n * 10n ** 13n),
      0n,
    ]);
    const { client: live } = await connected(await world(), KEYS[0], {
      orders: { feeRates: { btcusdc: { makerFeeRate: "0", takerFeeRate: "0" } } },
    });
    await expect(live.place({ ...BID, price: "30000" })).rejects.toMatchObject({ code: 4012 });
  },
);

conforms(
  "R21",
  "client",
  "places LIMIT and MARKET, both sides, in every time in force, and sees each behave as named",
  async () => {
    const venue = await world();
    const { client } = await connected(venue);
    const fate = async (order: object) => {
      await venue.bob.place("SELL", "30000", "0.1");
      const { id: orderId } = await client.place({
        ...BID,
        price: "30000",
        amount: "0.3",
        ...order,
      });
      await venue.clock.runFor(3000);
      const open = (await client.openOrders()).find(({ id }) => id === orderId);
      const found = open ?? (await client.order({ ...BTC, orderId }));
      await client.cancelAllOpenOrders();
      await venue.bob.call("DELETE", "/v1/allOpenOrders");
      return [
        found.type,
        found.tif,
        found.status,
        String(found.filledAmount),
        String(found.availableAmount),
      ].join(" ");
    };
    expect(await fate({})).toBe("LIMIT GTC PARTIAL_FILLED 0.1 0.2");
    expect(await fate({ timeInForce: "IOC" })).toBe("LIMIT IOC EXPIRED 0.1 0");
    expect(await fate({ timeInForce: "FOK" })).toBe("LIMIT FOK EXPIRED 0 0");
    expect(await fate({ timeInForce: "FOK", amount: "0.1" })).toBe("LIMIT FOK FILLED 0.1 0");
    expect(await fate({ timeInForce: "POST_ONLY" })).toBe("LIMIT POST_ONLY EXPIRED 0 0");
    expect(await fate({ timeInForce: "POST_ONLY", price: "29999" })).toBe(
      "LIMIT POST_ONLY NEW 0 0.3",
    );
    expect(await fate({ timeInForce: "GTT", expiration: venue.clock.nowMs() + 90_000 })).toBe(
      "LIMIT GTT PARTIAL_FILLED 0.1 0.2",
    );
    expect(await fate({ orderType: "MARKET", timeInForce: "IOC" })).toBe(
      "MARKET IOC EXPIRED 0.1 0",
    );
    expect(await fate({ orderType: "MARKET", timeInForce: "IOC", price: "29999" })).toBe(
      "MARKET IOC EXPIRED 0 0",
    );
    expect(await fate({ side: "SELL", price: "31000" })).toBe("LIMIT GTC NEW 0 0.3");
  },
);
