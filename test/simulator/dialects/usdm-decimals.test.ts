import { describe, expect, it } from "vitest";
import { ReferenceClient } from "../reference-client.js";
import { usdmWorld } from "./usdm-world.js";

const symbol = "BTCUSDC";

/** A market with orders at whole prices and between them, and one trade. */
function quotedWorld() {
  const { exchange, alice, clock } = usdmWorld();
  const reader = alice.stream("/ws/btcusdc@bookTicker");
  const depth = alice.stream("/ws/btcusdc@depth@100ms");
  const trades = alice.stream("/ws/btcusdc@trade");
  const orders = alice.userStream();
  new ReferenceClient(exchange, () => clock.nowMs()).register().place("BUY", "30000", "0.5");
  alice.place("SELL", "0.01", "30000.5");
  return { alice, clock, reader, depth, trades, orders };
}

describe("decimals of the dialect, from which clients take the precision of a price", () => {
  it("prints a touch at 30000 with the decimals of 30000.5, or clients drop the quote", async () => {
    const { alice, clock, reader, depth } = quotedWorld();
    await clock.runFor(100);
    expect(reader.take().at(-1)).toMatchObject({
      b: "30000.0",
      B: "0.500",
      a: "30000.5",
      A: "0.010",
    });
    expect(depth.take().at(-1)).toMatchObject({
      b: [["30000.0", "0.500"]],
      a: [["30000.5", "0.010"]],
    });
    expect(alice.send("GET", "/v1/depth", { symbol }).json).toMatchObject({
      bids: [["30000.0", "0.500"]],
      asks: [["30000.5", "0.010"]],
    });
  });

  it("prints orders and trades with them as well, in answers and events", () => {
    const { alice, trades, orders } = quotedWorld();
    orders.take();
    const sold = alice.place("SELL", "0.1", "30000", {
      timeInForce: "IOC",
      newOrderRespType: "RESULT",
    }).json;
    expect(sold).toMatchObject({ price: "30000.0", origQty: "0.100", executedQty: "0.100" });
    expect(trades.take().at(-1)).toMatchObject({ p: "30000.0", q: "0.100" });
    expect(orders.take().find(({ o }) => o?.x === "TRADE")?.o).toMatchObject({
      p: "30000.0",
      q: "0.100",
      l: "0.100",
      z: "0.100",
      L: "30000.0",
    });
    expect(alice.signed("GET", "/v1/userTrades", { symbol }).json[0]).toMatchObject({
      price: "30000.0",
      qty: "0.100",
    });
    expect(alice.send("GET", "/v1/ticker/price", { symbol }).json.price).toBe("30000.0");
  });
});
