import { describe, expect, it } from "vitest";
import { KEYS, ReferenceClient, virtualExchange } from "./reference-client.js";

function pair(config: Parameters<typeof virtualExchange>[0] = {}) {
  const { exchange, clock } = virtualExchange(config);
  const alice = new ReferenceClient(exchange, () => clock.nowMs(), KEYS[0]).register();
  const bob = new ReferenceClient(exchange, () => clock.nowMs(), KEYS[1]).register();
  return { exchange, clock, alice, bob };
}

describe("an order from entry to settlement", () => {
  it("is answered as accepted, although it trades at once", () => {
    const { alice, bob } = pair();
    expect(alice.place("SELL", "30000", "1").json).toMatchObject({
      status: "NEW",
      availableAmount: "1",
      filledAmount: "0",
    });
    const taken = bob.place("BUY", "30010", "0.4");
    expect(taken.status).toBe(200);
    expect(taken.json).toMatchObject({ status: "NEW", availableAmount: "0.4", pendingAmount: "0" });
    expect(taken.json).not.toHaveProperty("averagePrice");
    expect(alice.openOrders()).toMatchObject([
      {
        status: "PARTIAL_FILLED",
        availableAmount: "0.6",
        pendingAmount: "0.4",
        filledAmount: "0",
        averagePrice: "30000",
      },
    ]);
  });

  it("turns pending into filled when the settlement delay has passed, and only then is history", async () => {
    const { alice, bob, clock, exchange } = pair();
    alice.place("SELL", "30000", "1");
    bob.place("BUY", "30000", "1");
    expect(bob.openOrders()).toMatchObject([
      { status: "PARTIAL_FILLED", pendingAmount: "1", availableAmount: "0" },
    ]);
    await clock.runFor(2000);
    expect(bob.openOrders()).toEqual([]);
    expect(bob.call("GET", "/v1/historyOrders", { marketId: "btcusdc" }).json).toMatchObject([
      { status: "FILLED", filledAmount: "1" },
    ]);
    expect(exchange.audit()).toMatchObject({ isConserved: true });
  });

  it("moves money as the contracts do: maker rebate, taker fee, position at the maker's price", async () => {
    const { alice, bob, clock } = pair();
    alice.place("SELL", "30000", "1");
    bob.place("BUY", "30000", "1");
    // 30,000 at the maker's -1 bp and the taker's 3 bp.
    expect(alice.balances().balances.netValue).toBe("100003");
    expect(bob.balances().balances.netValue).toBe("99991");
    expect(bob.balances().balances.perpetualBalances.btcusdc).toMatchObject({
      paperAmount: "0",
      creditAmount: "0",
    });
    await clock.runFor(2000);
    expect(bob.balances().balances.perpetualBalances.btcusdc).toEqual({
      paperAmount: "1",
      creditAmount: "-30009",
      serialNumber: 0,
    });
    expect(alice.balances().positions).toMatchObject([
      { side: "SHORT", size: "1", entryPrice: "30000", status: "OPEN", closedAt: null },
    ]);
  });

  it("takes back amounts, position and fees of a failed settlement", async () => {
    const { alice, bob, clock, exchange } = pair({ settlement: { failureRate: 1 } });
    alice.place("SELL", "30000", "1");
    bob.place("BUY", "30000", "1");
    await clock.runFor(2000);
    expect(bob.balances().balances.netValue).toBe("100000");
    expect(bob.balances().positions).toEqual([]);
    expect(bob.call("GET", "/v1/historyOrders", { marketId: "btcusdc" }).json).toMatchObject([
      { status: "FAILED", failedAmount: "1", filledAmount: "0", pendingAmount: "0" },
    ]);
    expect(bob.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json).toMatchObject([
      { status: "FAILED" },
    ]);
    expect(exchange.audit()).toMatchObject({ feeCredit: 0n, isConserved: true });
  });
});
