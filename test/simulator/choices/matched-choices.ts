import { expect } from "vitest";
import { traders } from "../reference-client.js";
import { type Cases, type ChoicesInput, history, MARKET, matched } from "./case.js";

/**
 * An order of two matches of which one settled and one failed, under the first seed with that
 * outcome.
 */
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

/** The status of an order from its match to its settlement, and the list it is in. */
export const MATCHED_CHOICES = {
  matchedOrderStatus: ["PARTIAL_FILLED", "FILLED"].map((value) => ({
    value,
    sees: async (world) => {
      matched(world);
      expect(world.bob.openOrders()).toMatchObject([
        { status: value, pendingAmount: "0.1", filledAmount: "0" },
      ]);
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
    {
      value: "refuse",
      sees: (world) =>
        expect(world.bob.cancel(matched(world).id).json).toMatchObject({ code: 2011 }),
    },
    {
      value: "accept",
      sees: async (world) => {
        const { id } = matched(world);
        expect(world.bob.cancel(id).status).toBe(204);
        await world.clock.runFor(2000);
        expect(history(world)).toMatchObject([
          { status: "FILLED", filledAmount: "0.1", canceledAmount: "0" },
        ]);
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
      expect([world.bob.openOrders().length, history(world).length]).toEqual(
        value === "history" ? [0, 1] : [1, 0],
      );
      expect(world.bob.cancel(id).json).toMatchObject({ code: 2011 });
      await world.clock.runFor(2000);
      expect(history(world)).toMatchObject([
        { status: "CANCELED", filledAmount: "0.1", canceledAmount: "0.2", pendingAmount: "0" },
      ]);
      expect(world.bob.openOrders()).toEqual([]);
    },
  })),
  partlyFailed: ["FAILED", "FILLED"].map((value) => ({
    value,
    sees: async () =>
      expect(await partlyFailed({ partlyFailed: value as "FAILED" | "FILLED" })).toMatchObject({
        status: value,
      }),
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
  failedTradeStatus: ["FAILED", "REVERTED"].map((value) => ({
    value,
    config: { settlement: { failureRate: 1 } },
    sees: async (world) => {
      matched(world);
      await world.clock.runFor(2000);
      expect(world.bob.call("GET", "/v1/userTrades", MARKET).json).toMatchObject([
        { status: value },
      ]);
      expect(world.bob.raw("GET", "/v1/trades", MARKET).json).toMatchObject([{ status: value }]);
    },
  })),
} satisfies Cases;
