import { describe, expect, it } from "vitest";
import { playHistories } from "./histories.js";

describe("after random actions of traders, wallets, prices and liquidators", () => {
  it("every account is equal on the exchange and on chain, to the unit", async () => {
    const { trades, withdrawals } = await playHistories({ seeds: 2, steps: 130, checkEvery: 26 });
    // The course of a history depends on when the chain responds, so only long runs require the
    // rarer events.
    expect(trades).toBeGreaterThan(10);
    expect(withdrawals).toBeGreaterThan(0);
  });
});
