import { describe, expect, it } from "vitest";
import { MemoryRecords } from "../store/memory-records.js";
import { usdmWorld } from "./usdm-world.js";

const symbol = "BTCUSDC";

describe("the dialect of an exchange with a dataDir", () => {
  it("bounds orders by the leverage that was set before a kill, and shows it", async () => {
    const records = new MemoryRecords();
    const before = usdmWorld({}, { records });
    before.bob.place("SELL", "0.5", "30000");
    before.bob.place("BUY", "0.5", "29999");
    before.alice.signed("POST", "/v1/leverage", { symbol, leverage: 2 });

    const after = usdmWorld({}, { records: records.copy() });
    const leverageOf = ({ alice }: typeof after) =>
      alice.signed("GET", "/v1/symbolConfig", { symbol }).json[0].leverage;
    expect(leverageOf(after)).toBe(2);
    // 100,000 of credit at 2 is less than 7 at 29,000.
    expect(after.alice.place("BUY", "7", "29000").json.code).toBe(-2019);
    after.alice.signed("POST", "/v1/leverage", { symbol, leverage: 20 });
    expect(after.alice.place("BUY", "7", "29000").json.status).toBe("NEW");
    expect(leverageOf(usdmWorld({}, { records: records.copy() }))).toBe(2);
  });

  it("finds orders, trades and marks of reduce-only again after a kill, by their client ids", async () => {
    const records = new MemoryRecords();
    const before = usdmWorld({}, { records });
    before.bob.place("SELL", "0.5", "30000");
    before.alice.place("BUY", "0.3", "30000", { newClientOrderId: "filled" });
    before.alice.place("SELL", "0.2", "31000", { newClientOrderId: "rests", reduceOnly: true });
    before.alice.place("BUY", "0.1", "29000", { newClientOrderId: "gone" });
    before.alice.signed("DELETE", "/v1/order", { symbol, origClientOrderId: "gone" });
    await before.clock.runFor(3000);
    const ids = ["filled", "rests", "gone"];
    const seen = ({ alice }: typeof before) => ({
      orders: ids.map((origClientOrderId) => {
        const { updateTime: _, ...order } = alice.signed("GET", "/v1/order", {
          symbol,
          origClientOrderId,
        }).json;
        return order;
      }),
      trades: alice.signed("GET", "/v1/userTrades", { symbol }).json,
      positions: alice.signed("GET", "/v3/positionRisk").json,
    });
    const then = seen(before);

    const after = usdmWorld({}, { records: records.copy() });
    await after.clock.runFor(3000);
    expect(seen(after)).toEqual(then);
    expect(then.orders.map(({ status }) => status)).toEqual(["FILLED", "NEW", "CANCELED"]);
    expect(then.trades[0].orderId).toBe(then.orders[0].orderId);
    const again = after.alice.place("SELL", "0.1", "31000", { newClientOrderId: "rests" });
    expect(again.json.code).toBe(-4116);

    const stream = after.alice.userStream();
    after.bob.place("BUY", "0.2", "31000");
    expect(stream.take().filter(({ e }) => e === "ORDER_TRADE_UPDATE")).toMatchObject([
      { o: { x: "TRADE", X: "FILLED", c: "rests", R: true } },
    ]);
  });
});
