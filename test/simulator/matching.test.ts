import { describe, expect, it } from "vitest";
import { traders } from "./reference-client.js";

/** The state of each order of a client, by price: status and the six parts of its amount. */
const history = (client: ReturnType<typeof traders>["alice"]) =>
  client.call("GET", "/v1/historyOrders", { marketId: "btcusdc" }).json;

describe("price-time priority", () => {
  it("trades the best price first, and at one price the order that came first", () => {
    const { alice, bob, carol } = traders();
    alice.place("SELL", "30001", "0.1");
    bob.place("SELL", "30000", "0.1");
    alice.place("SELL", "30000", "0.1");
    carol.place("BUY", "30001", "0.15");
    const trades = carol.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json;
    expect(
      trades.map((trade: { price: string; amount: string }) => [trade.price, trade.amount]),
    ).toEqual([
      ["30000", "0.1"],
      ["30000", "0.05"],
    ]);
    expect(bob.openOrders()).toMatchObject([{ availableAmount: "0", pendingAmount: "0.1" }]);
    expect(alice.openOrders()).toMatchObject([
      { availableAmount: "0.1" },
      { availableAmount: "0.05", pendingAmount: "0.05" },
    ]);
  });

  it("gives a taker the maker's price, and rests what is left at its own", () => {
    const { alice, bob, exchange } = traders();
    alice.place("SELL", "29990", "0.1");
    bob.place("BUY", "30000", "0.3");
    expect(exchange.book("btcusdc")).toMatchObject({ bids: [[300_000, 200]], asks: [] });
    expect(bob.openOrders()).toMatchObject([
      { averagePrice: "29990", availableAmount: "0.2", status: "PARTIAL_FILLED" },
    ]);
  });

  it("loses its place in the queue by cancelling and placing anew", () => {
    const { alice, bob, carol } = traders();
    const first = alice.place("BUY", "30000", "0.1").json;
    bob.place("BUY", "30000", "0.1");
    expect(alice.cancel(first.id).status).toBe(204);
    alice.place("BUY", "30000", "0.1");
    carol.place("SELL", "30000", "0.1");
    expect(bob.openOrders()).toMatchObject([{ pendingAmount: "0.1" }]);
    expect(alice.openOrders()).toMatchObject([{ pendingAmount: "0" }]);
  });
});

describe("times in force", () => {
  it("IOC trades what it can and expires the rest", () => {
    const { alice, bob } = traders();
    alice.place("SELL", "30000", "0.1");
    bob.place("BUY", "30000", "0.3", { timeInForce: "IOC" });
    expect(bob.openOrders()).toEqual([]);
    expect(history(bob)).toMatchObject([
      { status: "EXPIRED", pendingAmount: "0.1", expiredAmount: "0.2", availableAmount: "0" },
    ]);
  });

  it("FOK trades whole or not at all", () => {
    const { alice, bob } = traders();
    alice.place("SELL", "30000", "0.1");
    alice.place("SELL", "30001", "0.1");
    bob.place("BUY", "30000", "0.2", { timeInForce: "FOK" });
    expect(history(bob)).toMatchObject([
      { status: "EXPIRED", expiredAmount: "0.2", pendingAmount: "0" },
    ]);
    expect(alice.openOrders()).toMatchObject([
      { availableAmount: "0.1" },
      { availableAmount: "0.1" },
    ]);
    bob.place("BUY", "30001", "0.2", { timeInForce: "FOK" });
    expect(bob.openOrders()).toMatchObject([{ pendingAmount: "0.2" }]);
  });

  it("FOK does not count its owner's own orders as something to trade with", () => {
    const { alice, bob } = traders();
    bob.place("SELL", "30000", "0.1");
    alice.place("SELL", "30000", "0.1");
    bob.place("BUY", "30000", "0.2", { timeInForce: "FOK" });
    expect(history(bob)).toMatchObject([{ status: "EXPIRED", expiredAmount: "0.2" }]);
    expect(bob.openOrders()).toHaveLength(1);
  });

  it.each([
    ["EXPIRED", { status: "EXPIRED", expiredAmount: "0.1", canceledAmount: "0" }],
    ["CANCELED", { status: "CANCELED", expiredAmount: "0", canceledAmount: "0.1" }],
  ] as const)(
    "POST_ONLY that would cross ends as %s and never takes",
    (crossingPostOnly, ended) => {
      const { alice, bob } = traders({ choices: { crossingPostOnly } });
      alice.place("SELL", "30000", "0.1");
      expect(bob.place("BUY", "30000", "0.1", { timeInForce: "POST_ONLY" }).json).toMatchObject({
        status: "NEW",
      });
      expect(history(bob)).toMatchObject([ended]);
      expect(bob.place("BUY", "29999.9", "0.1", { timeInForce: "POST_ONLY" }).status).toBe(200);
      expect(bob.openOrders()).toMatchObject([{ price: "29999.9", tif: "POST_ONLY" }]);
    },
  );

  it("POST_ONLY that would cross is refused with 2016 where the venue says so", () => {
    const { alice, bob } = traders({ choices: { crossingPostOnly: "REJECT" } });
    alice.place("SELL", "30000", "0.1");
    expect(bob.place("BUY", "30000", "0.1", { timeInForce: "POST_ONLY" }).json).toMatchObject({
      code: 2016,
    });
    expect(history(bob)).toEqual([]);
  });

  it("GTT dies by itself at its expiration, although nobody cancels it", async () => {
    const { alice, clock, exchange } = traders();
    alice.place("BUY", "30000", "0.1", {
      timeInForce: "GTT",
      expirationMs: clock.nowMs() + 61_000,
    });
    await clock.runFor(60_999);
    expect(exchange.book("btcusdc").bids).toEqual([[300_000, 100]]);
    await clock.runFor(1);
    expect(exchange.book("btcusdc").bids).toEqual([]);
    expect(history(alice)).toMatchObject([{ status: "EXPIRED", expiredAmount: "0.1" }]);
  });

  it("MARKET never rests, and never trades beyond its worst accepted price", () => {
    const { alice, bob } = traders();
    alice.place("SELL", "30000", "0.1");
    alice.place("SELL", "30100", "0.1");
    bob.place("BUY", "30050", "0.5", { type: "MARKET" });
    expect(history(bob)).toMatchObject([
      { status: "EXPIRED", pendingAmount: "0.1", expiredAmount: "0.4", averagePrice: "30000" },
    ]);
  });
});

describe("orders of one account that would trade with each other", () => {
  it("lose the resting one by default", () => {
    const { alice, bob } = traders();
    alice.place("SELL", "30000", "0.1");
    bob.place("SELL", "30000", "0.1");
    alice.place("BUY", "30000", "0.1");
    expect(history(alice)).toMatchObject([
      { side: "SELL", status: "CANCELED", canceledAmount: "0.1" },
    ]);
    expect(alice.openOrders()).toMatchObject([{ side: "BUY", pendingAmount: "0.1" }]);
  });

  it("lose the incoming one, or both, where the venue says so", () => {
    const incoming = traders({ choices: { selfMatch: "cancel-incoming" } });
    incoming.alice.place("SELL", "30000", "0.1");
    incoming.alice.place("BUY", "30000", "0.1");
    expect(incoming.alice.openOrders()).toMatchObject([{ side: "SELL" }]);
    expect(history(incoming.alice)).toMatchObject([{ side: "BUY", status: "CANCELED" }]);
    const both = traders({ choices: { selfMatch: "cancel-both" } });
    both.alice.place("SELL", "30000", "0.1");
    both.alice.place("BUY", "30000", "0.1");
    expect(both.alice.openOrders()).toEqual([]);
    expect(history(both.alice)).toHaveLength(2);
  });
});

describe("cancelling", () => {
  it("takes an order off the book once; the second time there is no such order", () => {
    const { alice, bob } = traders();
    const { id } = alice.place("BUY", "30000", "0.1").json;
    expect(bob.cancel(id)).toMatchObject({ status: 400, json: { code: 2011 } });
    expect(alice.cancel(id)).toMatchObject({ status: 204, body: "" });
    expect(alice.cancel(id).json).toMatchObject({ code: 2011, codeText: "No such order" });
    expect(history(alice)).toMatchObject([{ status: "CANCELED", canceledAmount: "0.1" }]);
  });

  it("keeps what was matched before: the order is history, its pending part settles later", async () => {
    const { alice, bob, clock } = traders();
    const { id } = alice.place("SELL", "30000", "0.3").json;
    bob.place("BUY", "30000", "0.1");
    alice.cancel(id);
    expect(history(alice)).toMatchObject([
      { status: "CANCELED", canceledAmount: "0.2", pendingAmount: "0.1" },
    ]);
    await clock.runFor(2000);
    expect(history(alice)).toMatchObject([
      { status: "CANCELED", canceledAmount: "0.2", pendingAmount: "0", filledAmount: "0.1" },
    ]);
  });

  it("finds nothing to cancel in an order that is wholly matched and waits for settlement", () => {
    const { alice, bob } = traders();
    const { id } = alice.place("SELL", "30000", "0.1").json;
    bob.place("BUY", "30000", "0.1");
    expect(alice.openOrders()).toHaveLength(1);
    expect(alice.cancel(id).json).toMatchObject({ code: 2011 });
  });

  it("of all orders takes those of one market, or of all", () => {
    const { alice } = traders({ markets: { btcusdc: {}, ethusdc: {} } });
    alice.place("BUY", "30000", "0.1");
    alice.place("BUY", "3000", "0.1", { marketId: "ethusdc" });
    alice.place("BUY", "3001", "0.1", { marketId: "ethusdc" });
    expect(alice.call("DELETE", "/v1/allOpenOrders", { marketId: "ethusdc" }).status).toBe(204);
    expect(alice.openOrders()).toMatchObject([{ marketId: "btcusdc" }]);
    expect(alice.call("DELETE", "/v1/allOpenOrders").status).toBe(204);
    expect(alice.openOrders()).toEqual([]);
  });
});

describe("an order that is matched whole", () => {
  it("is history at once where the venue says so", async () => {
    const { alice, bob, clock } = traders({
      choices: { matchedOrderList: "history", matchedOrderStatus: "FILLED" },
    });
    alice.place("SELL", "30000", "0.1");
    bob.place("BUY", "30000", "0.1");
    expect(bob.openOrders()).toEqual([]);
    expect(history(bob)).toMatchObject([
      { status: "FILLED", pendingAmount: "0.1", filledAmount: "0" },
    ]);
    await clock.runFor(2000);
    expect(history(bob)).toMatchObject([
      { status: "FILLED", pendingAmount: "0", filledAmount: "0.1" },
    ]);
  });
});
