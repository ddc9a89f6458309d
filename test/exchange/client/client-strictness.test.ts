import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Connection, connect } from "#exchange/connect.js";
import type { NewOrder } from "#exchange/order-settings.js";
import { type Embedded, KEYS, startEmbedded } from "./embedded.js";

const ORDER: NewOrder = { marketId: "btcusdc", side: "BUY", amount: "0.02", price: "30000" };

let embedded: Embedded;
let trader: Connection;

beforeAll(async () => {
  embedded = await startEmbedded();
  trader = await embedded.trader();
});

afterAll(() => embedded.close());

/** As a program in plain JavaScript calls: with whatever it has. */
const asNewOrder = (order: unknown): NewOrder => order as NewOrder;

describe("an order that is not what was meant", () => {
  it.each([
    [
      "a misspelled life, which would take where it was to rest",
      { ...ORDER, timeinforce: "POST_ONLY" },
      "timeinforce",
      "timeInForce?",
    ],
    [
      "a key that the exchange has not",
      { ...ORDER, reduceOnly: true },
      "reduceOnly",
      "no such parameter",
    ],
    ["the same as a text", { ...ORDER, reduceOnly: "true" }, "reduceOnly", "no such parameter"],
    [
      "an account, which the connection names",
      { ...ORDER, account: `0x${"1".repeat(40)}` },
      "account",
      "no such parameter",
    ],
    ["a misspelled word", { ...ORDER, timeInForce: "POSTONLY" }, "timeInForce", "POST_ONLY"],
    ["a side in a list", { ...ORDER, side: ["BUY"] }, "side", "one of BUY, SELL"],
    [
      "an amount as a number",
      { ...ORDER, amount: 0.02 },
      "amount",
      "a text, a bigint or a Decimal",
    ],
    [
      "a whole price as a number",
      { ...ORDER, price: 30000 },
      "price",
      "a text, a bigint or a Decimal",
    ],
    ["no key at all", {}, "marketId", "needs a parameter"],
    ["nothing", undefined, "parameters", "an object"],
  ])("is refused before it is sent: %s", async (_, order, field, words) => {
    for (const refused of [
      trader.client.place(asNewOrder(order)),
      trader.client.prepare(asNewOrder(order)),
    ])
      await expect(refused).rejects.toMatchObject({
        name: "ConfigError",
        field,
        message: expect.stringContaining(words),
      });
    expect(await trader.client.openOrders()).toEqual([]);
  });

  it("is refused in an operation's own parameters too", async () => {
    const terms = { ...ORDER, orderType: "LIMIT", amount: 1 };
    await expect(trader.client.buildOrder(terms as never)).rejects.toMatchObject({
      name: "ConfigError",
      field: "amount",
      expected: "a text, a bigint or a Decimal",
    });
    await expect(trader.client.openOrders({ marketid: "btcusdc" } as never)).rejects.toThrow(
      "did you mean marketId?",
    );
  });
});

describe("a connection that is not what was meant", () => {
  const baseUrl = "http://127.0.0.1:1/v1";

  it.each([
    ["a misspelled key, which is not shown", { baseUrl, kee: KEYS[0] }, "kee", "key"],
    [
      "a misspelled setting",
      { baseUrl, orders: { placment: "server" } },
      "orders.placment",
      "placement",
    ],
    [
      "a misspelled choice",
      { baseUrl, orders: { placement: "servr" } },
      "orders.placement",
      "server",
    ],
    [
      "a rate as a number",
      { baseUrl, orders: { maxGasFeeRate: 0.01 } },
      "orders.maxGasFeeRate",
      "a text, a bigint or a Decimal",
    ],
    ["a misspelled repeat", { baseUrl, retry: { trys: 1 } }, "retry.trys", "tries"],
    ["no address", { key: KEYS[0] }, "baseUrl", "address"],
    ["nothing", undefined, "options", "baseUrl"],
  ])("is refused before anything is asked: %s", async (_, options, field, words) => {
    const refused = connect(options as never);
    await expect(refused).rejects.toMatchObject({
      name: "ConfigError",
      field,
      expected: expect.any(String),
    });
    await expect(refused).rejects.toThrow(words);
    await expect(refused).rejects.not.toThrow(KEYS[0].slice(2));
  });
});
