import { describe, expect, it } from "vitest";
import { MemoryRecords } from "../store/memory-records.js";
import { usdmWorld } from "./usdm-world.js";

const symbol = "BTCUSDC";

describe("the dialect of an exchange with a dataDir", () => {
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
