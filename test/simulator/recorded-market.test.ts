import { describe, expect, it } from "vitest";
import { createQueueModel } from "#core/queue-model-names.js";
import type { QueueModel, QueuePlace } from "#core/queue-models.js";
import { CapturedDepth } from "#simulator/captured-depth.js";
import type { FlowMarket } from "#simulator/flow-market.js";
import { traders } from "./reference-client.js";

/**
 * A market with bids 29999.9 x 1, 29999.8 x 2 and asks 30000.1 x 1, 30000.2 x 2 recorded under it.
 */
function recorded(queue?: QueueModel<QueuePlace>) {
  let market: FlowMarket | undefined;
  const world = traders(
    {},
    {
      createFlow: () => ({
        start: (given) => {
          market = given;
        },
        stop: () => {},
      }),
    },
  );
  const flow = market as unknown as FlowMarket;
  flow.attachRecorded(new CapturedDepth(), queue);
  flow.applyRecorded({
    kind: "snapshot",
    bids: [299_999, 1000, 299_998, 2000],
    asks: [300_001, 1000, 300_002, 2000],
  });
  const update = (bids: number[], asks: number[]) =>
    flow.applyRecorded({ kind: "update", bids, asks });
  const print = (aggressor: "BUY" | "SELL", ticks: number, lots: number) =>
    flow.recordedPrint({ aggressor, ticks, lots, timeMs: world.clock.nowMs() });
  return { ...world, flow, update, print };
}

describe("participants in a recorded market", () => {
  it("see their orders added to the recorded amounts", () => {
    const { alice, exchange } = recorded();
    alice.place("BUY", "29999.9", "0.5");
    alice.place("SELL", "30000.3", "0.7");
    expect(exchange.book("btcusdc")).toMatchObject({
      bids: [
        [299_999, 1500],
        [299_998, 2000],
      ],
      asks: [
        [300_001, 1000],
        [300_002, 2000],
        [300_003, 700],
      ],
    });
  });

  it("take recorded levels once: a level is whole again only when the recording changes it", () => {
    const { alice, update, exchange } = recorded();
    alice.place("BUY", "30000.2", "1.5", { timeInForce: "IOC" });
    expect(exchange.book("btcusdc").asks).toEqual([[300_002, 1500]]);
    update([299_999, 1100], []);
    expect(exchange.book("btcusdc").asks).toEqual([[300_002, 1500]]);
    update([], [300_001, 900, 300_002, 1900]);
    expect(exchange.book("btcusdc").asks).toEqual([
      [300_001, 900],
      [300_002, 1900],
    ]);
    expect(exchange.audit().isConserved).toBe(true);
  });

  it("queue behind the recorded lots at their price, for other participants too", () => {
    const { alice, bob, exchange } = recorded();
    alice.place("SELL", "30000.1", "0.5");
    bob.place("BUY", "30000.1", "1.2", { timeInForce: "IOC" });
    expect(alice.openOrders()).toMatchObject([{ pendingAmount: "0.2", availableAmount: "0.3" }]);
    expect(exchange.book("btcusdc").asks[0]).toEqual([300_001, 300]);
  });

  it.each([
    ["risk-averse", "0"],
    ["power-1", "0.25"],
  ])("move up by a stranger's cancel as the queue model says: %s", (queue, filled) => {
    const { alice, update, print } = recorded(createQueueModel(queue, 0.001));
    alice.place("BUY", "29999.9", "0.5");
    // 1000 lots ahead; as many join behind, half of all are cancelled, and 750 lots trade.
    update([299_999, 2000], []);
    update([299_999, 1000], []);
    print("SELL", 299_999, 750);
    expect(alice.openOrders()).toMatchObject([{ pendingAmount: filled }]);
  });

  it("fill in full when the recorded best opposite price reaches theirs, after the whole message", () => {
    const { alice, update, exchange } = recorded();
    alice.place("BUY", "30000", "0.5");
    alice.place("BUY", "29999.9", "0.5");
    update([299_999, 0], [300_000, 700, 300_001, 0]);
    expect(alice.openOrders()).toMatchObject([
      { price: "30000", pendingAmount: "0.5", averagePrice: "30000" },
      { price: "29999.9", availableAmount: "0.5" },
    ]);
    expect(exchange.book("btcusdc").asks[0]).toEqual([300_000, 700]);
  });

  it("wait for the lots ahead of them: recorded trades at their price use those up first", () => {
    const { alice, print } = recorded();
    alice.place("BUY", "29999.9", "0.5");
    print("SELL", 299_999, 800);
    expect(alice.openOrders()).toMatchObject([{ pendingAmount: "0" }]);
    print("SELL", 299_999, 400);
    expect(alice.openOrders()).toMatchObject([{ pendingAmount: "0.2" }]);
    print("BUY", 299_999, 900);
    expect(alice.openOrders()).toMatchObject([{ pendingAmount: "0.2" }]);
  });

  it("move up when the level shrinks below what was ahead of them, and not when it only grows", () => {
    const { alice, print, update } = recorded();
    alice.place("BUY", "29999.9", "0.5");
    update([299_999, 300], []);
    update([299_999, 5000], []);
    print("SELL", 299_999, 400);
    expect(alice.openOrders()).toMatchObject([{ pendingAmount: "0.1" }]);
  });

  it("share a recorded trade in queue order, and never more than its amount", () => {
    const { alice, bob, print, exchange } = recorded();
    alice.place("BUY", "29999.9", "0.5");
    bob.place("BUY", "29999.9", "0.5");
    print("SELL", 299_999, 1700);
    expect(alice.openOrders()).toMatchObject([{ pendingAmount: "0.5" }]);
    expect(bob.openOrders()).toMatchObject([{ pendingAmount: "0.2" }]);
    expect(exchange.book("btcusdc").bids[0]).toEqual([299_999, 1300]);
    expect(
      alice
        .raw("GET", "/v1/trades", { marketId: "btcusdc" })
        .json.map((trade: { amount: string }) => trade.amount),
    ).toEqual(["0.5", "0.2", "1"]);
  });

  it("fill in full when a recorded trade goes through their price, at their own price", () => {
    const { alice, print } = recorded();
    alice.place("BUY", "30000", "0.5");
    print("SELL", 299_999, 1);
    expect(alice.openOrders()).toMatchObject([{ pendingAmount: "0.5", averagePrice: "30000" }]);
  });

  it("never reduce recorded levels by recorded trades: only recorded messages change them", () => {
    const { print, exchange } = recorded();
    const before = exchange.book("btcusdc");
    print("SELL", 299_998, 2500);
    expect(exchange.book("btcusdc")).toEqual(before);
  });

  it("settle against one house, so that money and positions sum to zero", async () => {
    const { alice, print, clock, exchange } = recorded();
    alice.place("BUY", "30000.1", "0.6", { timeInForce: "IOC" });
    alice.place("SELL", "30000.1", "0.3");
    print("BUY", 300_001, 5000);
    await clock.runFor(2000);
    expect(exchange.audit()).toMatchObject({ isConserved: true, netPaper: { btcusdc: 0n } });
    expect(exchange.audit().settledCredit).toBe(exchange.audit().accountCredit);
  });
});
