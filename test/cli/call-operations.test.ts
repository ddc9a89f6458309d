import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS, type OperationName } from "#exchange/operations.js";
import { type Embedded, KEYS, startEmbedded } from "../exchange/client/embedded.js";
import { captureCli } from "./captured-cli.js";

/** Beyond 2^53, where a JSON number rounds. */
const FIRST_ID = "900719925474099301";
const MARKET = "marketId=btcusdc";
const ORDER = [MARKET, "side=BUY", "orderType=LIMIT", "amount=0.01", "price=20000"];
const BEYOND = /^\d{18}$/;

let embedded: Embedded;
beforeAll(async () => {
  embedded = await startEmbedded({ firstId: FIRST_ID });
  const maker = await embedded.trader(KEYS[1]);
  const taker = await embedded.trader(KEYS[0]);
  await maker.client.place({ marketId: "btcusdc", side: "SELL", amount: "0.01", price: "30000" });
  await taker.client.place({ marketId: "btcusdc", side: "BUY", amount: "0.01", price: "30000" });
});
afterAll(() => embedded?.close());

/** `marketwright call`, against the embedded exchange. */
async function call(
  endpoint: OperationName,
  ...params: string[]
): Promise<{ code: number; out: string; err: string; json: unknown }> {
  const run = await captureCli(["call", endpoint, ...params, "--rest", embedded.server.restUrl], {
    MARKETWRIGHT_KEY: KEYS[0],
  });
  return { ...run, json: run.code === 0 ? JSON.parse(run.out) : undefined };
}

/**
 * An order that rests, placed through the client, since its signature is nobody's to write by hand.
 */
async function resting(): Promise<string> {
  const { client } = await embedded.trader(KEYS[2]);
  return (await client.place({ marketId: "btcusdc", side: "BUY", amount: "0.01", price: "20000" }))
    .id;
}

describe("marketwright call reaches every operation over real HTTP", () => {
  const reached = new Set<string>();
  const asked = async (endpoint: OperationName, ...params: string[]): Promise<unknown> => {
    const { code, err, json } = await call(endpoint, ...params);
    expect([endpoint, code, err]).toEqual([endpoint, 0, ""]);
    reached.add(endpoint);
    return json;
  };

  it("reads what is public", async () => {
    expect(await asked("time")).toEqual({ serverTime: expect.any(Number) });
    expect(await asked("exchangeInfo")).toMatchObject({ markets: [{ id: "btcusdc" }] });
    expect(await asked("orderbook", MARKET, "limit=10")).toMatchObject({ ticker_id: "btcusdc" });
    const [trade] = (await asked("trades", MARKET)) as { id: string }[];
    expect(trade?.id).toMatch(BEYOND);
    expect(await asked("historicalTrades", MARKET, `fromId=${trade?.id}`)).toMatchObject([
      { id: trade?.id },
    ]);
    expect(await asked("klines", MARKET, "interval=1M")).toBeInstanceOf(Array);
    expect(await asked("markPriceKlines", MARKET, "interval=1MO", "limit=1")).toBeInstanceOf(Array);
    expect(await asked("offchainMarkPriceWithVolKlines", MARKET, "interval=1M")).toBeInstanceOf(
      Array,
    );
    expect(await asked("tradeVolume", MARKET)).toMatchObject({ totalVolume: expect.any(String) });
    expect(await asked("fundingRate", MARKET, "startTime=0")).toBeInstanceOf(Array);
    expect(await asked("riskyAccounts")).toEqual([]);
    expect(await asked("contracts")).toMatchObject({ contracts: [{ ticker_id: "btcusdc" }] });
  });

  it("reads and changes the account, with every digit of an id both ways", async () => {
    const { client } = await embedded.connect({ key: KEYS[0] });
    const address = client.address;
    expect(await asked("account", `account=${address}`)).toMatchObject({
      address: expect.stringMatching(/^0x/),
    });
    expect(await asked("buildOrder", ...ORDER)).toMatchObject({
      order: { paperAmount: "10000000000000000" },
      gasFeeQuotation: expect.any(String),
    });
    const { params } = await client.prepare({
      marketId: "btcusdc",
      side: "BUY",
      amount: "0.01",
      price: "20000",
    });
    const words = Object.entries(params).map(([name, value]) => `${name}=${value}`);
    const placed = (await asked("placeOrder", ...words)) as { id: string };
    expect(placed.id).toMatch(BEYOND);
    expect(await asked("openOrder", MARKET, `orderId=${placed.id}`)).toMatchObject({
      id: placed.id,
    });
    expect(await asked("openOrders")).toMatchObject([{ id: placed.id }]);
    expect(await asked("cancelOrder", MARKET, `orderId=${placed.id}`)).toBeNull();
    expect(await asked("order", MARKET, `orderId=${placed.id}`)).toMatchObject({
      id: placed.id,
      status: "CANCELED",
    });
    expect(await asked("cancelAllOpenOrders")).toBeNull();
    expect(await asked("historyOrders", MARKET)).toMatchObject([{}, { id: placed.id }]);
    expect(await asked("userTrades", MARKET)).toMatchObject([
      { id: expect.stringMatching(BEYOND), isBuyer: true },
    ]);
    expect(await asked("incomes", MARKET, "type=DEPOSIT")).toMatchObject([{ type: "DEPOSIT" }]);
    expect(await asked("balances")).toMatchObject({ balances: { isSafe: true } });
    expect(await asked("positions")).toMatchObject([{ marketId: "btcusdc", side: "LONG" }]);
  });

  it("registers, and shows the exchange's own error with exit code 1", async () => {
    const { client } = await embedded.connect({ key: KEYS[0] });
    const again = await call("registerAccount", `account=${client.address}`);
    expect(again.code).toBe(1);
    expect(again.out).toBe("");
    expect(again.err).toContain("2018 Duplicated account");
    reached.add("registerAccount");
    const unknown = await call("cancelOrder", MARKET, "orderId=9223372036854775807");
    expect([unknown.code, unknown.out]).toEqual([1, ""]);
    expect(unknown.err).toContain("2011 No such order");
    const other = await resting();
    expect((await call("cancelOrder", MARKET, `orderId=${other}`)).err).toContain("2011");
    expect((await call("trades", "marketId=dogeusdc")).err).toContain("1112 Invalid market id");
    expect([...reached].sort()).toEqual(Object.keys(OPERATIONS).sort());
  });
});
