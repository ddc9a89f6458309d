import { describe, expect, it } from "vitest";
import { KEYS, ReferenceClient } from "../reference-client.js";
import { usdmWorld } from "./usdm-world.js";

/** The address of the second key. */
const NAMED = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

const symbol = "BTCUSDC";

/** Bob rests a bid at 30,000 and an ask at 30,001, so that there is a mark. */
function quoted() {
  const world = usdmWorld();
  world.bob.place("BUY", "1", "30000");
  world.bob.place("SELL", "1", "30001");
  return world;
}

describe("an order of the dialect", () => {
  it("rests, is found by both ids, and is cancelled", () => {
    const { alice } = quoted();
    const placed = alice.place("BUY", "0.1", "29000", { newClientOrderId: "quote-1" });

    expect(placed.status).toBe(200);
    expect(placed.json).toMatchObject({
      symbol,
      status: "NEW",
      clientOrderId: "quote-1",
      price: "29000.0",
      origQty: "0.100",
      executedQty: "0.000",
      timeInForce: "GTC",
      type: "LIMIT",
      side: "BUY",
      positionSide: "BOTH",
      reduceOnly: false,
    });
    expect(placed.headers["x-mbx-order-count-10s"]).toBe("1");
    const { orderId } = placed.json;
    expect(alice.signed("GET", "/v1/order", { symbol, orderId }).json).toEqual(placed.json);
    expect(
      alice.signed("GET", "/v1/openOrder", { symbol, origClientOrderId: "quote-1" }).json.orderId,
    ).toBe(orderId);
    expect(alice.signed("GET", "/v1/openOrders").json).toHaveLength(1);
    const name = { symbol, origClientOrderId: "quote-1" };
    expect(alice.signed("DELETE", "/v1/order", name).json.status).toBe("CANCELED");
    expect(alice.signed("DELETE", "/v1/order", name).json.code).toBe(-2011);
    expect(alice.signed("GET", "/v1/order", name).json.status).toBe("CANCELED");
    expect(alice.signed("GET", "/v1/openOrder", name).json.code).toBe(-2013);
    expect(alice.signed("GET", "/v1/openOrders", { symbol }).json).toEqual([]);
    expect(alice.signed("GET", "/v1/allOrders", { symbol }).json).toMatchObject([{ orderId }]);
  });

  it("trades at the market, and the account shows position, trade, commission and income", async () => {
    const { alice, clock } = quoted();
    const order = alice.signed("POST", "/v1/order", {
      symbol,
      side: "BUY",
      type: "MARKET",
      quantity: "0.1",
      newOrderRespType: "RESULT",
    }).json;
    await clock.runFor(5000);

    expect(order).toMatchObject({
      status: "FILLED",
      type: "MARKET",
      price: "0",
      avgPrice: "30001",
      executedQty: "0.100",
      cumQuote: "3000.1",
    });
    expect(alice.signed("GET", "/v1/userTrades", { symbol }).json).toMatchObject([
      {
        orderId: order.orderId,
        price: "30001.0",
        qty: "0.100",
        commission: "0.90003",
        maker: false,
      },
    ]);
    expect(alice.signed("GET", "/v3/positionRisk").json).toMatchObject([
      { symbol, positionAmt: "0.1", entryPrice: "30001", notional: "3000.05" },
    ]);
    expect(alice.signed("GET", "/v2/positionRisk", { symbol }).json).toMatchObject([
      { positionAmt: "0.1", leverage: "20", marginType: "cross" },
    ]);
    const account = alice.signed("GET", "/v2/account").json;
    expect(account).toMatchObject({
      totalWalletBalance: "99999.09997",
      totalUnrealizedProfit: "-0.05",
      totalMarginBalance: "99999.04997",
    });
    expect(account.positions).toMatchObject([{ positionAmt: "0.1", leverage: "20" }]);
    expect(alice.signed("GET", "/v3/balance").json).toMatchObject([
      { asset: "USDC", balance: "99999.09997", crossUnPnl: "-0.05" },
    ]);
    expect(
      alice
        .signed("GET", "/v1/income")
        .json.map(({ incomeType, income }: { incomeType: string; income: string }) => [
          incomeType,
          income,
        ]),
    ).toEqual([
      ["TRANSFER", "100000"],
      ["COMMISSION", "-0.90003"],
    ]);
  });

  it("sells in full at the market past the account's own bid, or a bot's closing order expires", () => {
    const { alice, bob } = quoted();
    bob.place("BUY", "1", "29990");
    alice.place("BUY", "0.1", "30000.5");
    const sold = alice.signed("POST", "/v1/order", {
      symbol,
      side: "SELL",
      type: "MARKET",
      quantity: "1.05",
      newOrderRespType: "RESULT",
    }).json;

    expect([sold.status, sold.executedQty]).toEqual(["FILLED", "1.050"]);
  });

  it("cuts a reduce-only order that takes to the position, and cancels a resting one that outgrew it", () => {
    const { alice } = quoted();
    alice.place("BUY", "0.2", "30001", { timeInForce: "IOC" });
    const rest = alice.place("SELL", "0.2", "31000", { reduceOnly: "true" }).json;
    const cut = alice.signed("POST", "/v1/order", {
      symbol,
      side: "SELL",
      type: "MARKET",
      quantity: "5",
      reduceOnly: true,
      newOrderRespType: "RESULT",
    }).json;

    expect([rest.reduceOnly, cut.executedQty, cut.status]).toEqual([true, "0.200", "FILLED"]);
    expect(alice.signed("GET", "/v1/order", { symbol, orderId: rest.orderId }).json.status).toBe(
      "CANCELED",
    );
    expect(alice.signed("GET", "/v3/positionRisk").json).toEqual([]);
  });

  it("expires as GTD, and by the countdown that cancels everything", async () => {
    const { alice, clock } = quoted();
    const goodTillDate = clock.nowMs() + 700_000;
    const { orderId } = alice.place("BUY", "0.1", "29000", {
      timeInForce: "GTD",
      goodTillDate,
    }).json;
    const other = alice.place("BUY", "0.1", "28000").json;
    const countdown = { symbol, countdownTime: 30_000 };
    alice.signed("POST", "/v1/countdownCancelAll", { symbol, countdownTime: 20_000 });
    expect(alice.signed("POST", "/v1/countdownCancelAll", countdown).json).toEqual({
      symbol,
      countdownTime: "30000",
    });
    await clock.runFor(29_000);
    expect(alice.signed("GET", "/v1/openOrders").json).toHaveLength(2);
    await clock.runFor(2000);
    expect(alice.signed("GET", "/v1/openOrders").json).toEqual([]);

    const again = alice.place("BUY", "0.1", "29000", { timeInForce: "GTD", goodTillDate }).json;
    await clock.runFor(700_000);
    const statusOf = (id: number) =>
      alice.signed("GET", "/v1/order", { symbol, orderId: id }).json.status;
    expect([orderId, other.orderId, again.orderId].map(statusOf)).toEqual([
      "CANCELED",
      "CANCELED",
      "EXPIRED",
    ]);
  });

  it("is placed and cancelled in batches, each by itself", () => {
    const { alice } = quoted();
    const order = { symbol, side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: "0.1" };
    const placed = alice.signed("POST", "/v1/batchOrders", {
      batchOrders: JSON.stringify([
        { ...order, price: "29000" },
        { ...order, price: "0.01" },
      ]),
    });
    expect(placed.json).toMatchObject([{ status: "NEW" }, { code: -1111 }]);
    expect(placed.headers["x-mbx-order-count-1m"]).toBe("2");
    const cancelled = alice.signed("DELETE", "/v1/batchOrders", {
      symbol,
      orderIdList: `[${placed.json[0].orderId},77]`,
    }).json;
    expect(cancelled).toMatchObject([{ status: "CANCELED" }, { code: -2011 }]);
  });

  it("is bounded by the leverage that the account has set", () => {
    const { alice } = quoted();
    alice.signed("POST", "/v1/leverage", { symbol, leverage: 1 });
    expect(alice.place("BUY", "3.4", "29900").json.code).toBe(-2019);
    expect(alice.place("BUY", "3.3", "29900").json.status).toBe("NEW");
    expect(alice.place("BUY", "1", "29900").json.code).toBe(-2019);
  });

  it("has ids below 2^53 where the exchange's own are above", () => {
    const world = usdmWorld({ firstId: "900000000000000000" });
    world.bob.place("BUY", "1", "30000");
    const { orderId, clientOrderId } = world.bob.place("BUY", "1", "29000").json;
    expect(Number.isSafeInteger(orderId)).toBe(true);
    const found = (values: Record<string, string | number>) =>
      world.bob.signed("GET", "/v1/order", { symbol, ...values }).json.price;
    expect([found({ orderId }), found({ origClientOrderId: clientOrderId })]).toEqual([
      "29000.0",
      "29000.0",
    ]);
  });

  it("is one of the account that the file names, signed by an operator, and so is any other of it", () => {
    const world = usdmWorld({}, {}, [
      { apiKey: "named-key-01", secret: "named-secret-01", account: NAMED },
      { apiKey: "other-key-01", secret: "other-secret-01" },
    ]);
    const [named, other] = [world.alice, world.bob];
    named.place("BUY", "0.1", "30000", { newClientOrderId: "n" });
    const owner = new ReferenceClient(world.exchange, () => world.clock.nowMs(), KEYS[1]);
    owner.place("BUY", "29000", "0.2");

    expect(world.exchange.account(NAMED)?.operators.size).toBe(1);
    expect(
      named
        .signed("GET", "/v1/openOrders")
        .json.map(({ clientOrderId, price }: Record<string, string>) => [
          clientOrderId?.replace(/\d+/, "ID"),
          price,
        ]),
    ).toEqual([
      ["n", "30000.0"],
      ["mw_ID", "29000.0"],
    ]);
    expect(other.signed("GET", "/v1/openOrders").json).toEqual([]);
  });
});
