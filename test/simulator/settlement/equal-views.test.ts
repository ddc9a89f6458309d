import { describe, expect, it } from "vitest";
import { playHistories } from "./histories.js";

describe("after whatever traders, wallets, prices and liquidators did", () => {
  it("an account on the exchange is, to the unit, what it is on chain", async () => {
    const { trades, withdrawals } = await playHistories({ seeds: 2, steps: 130, checkEvery: 26 });
    // The course of a history depends on when the chain responds, so only long runs require the
    // rarer events.
    expect(trades).toBeGreaterThan(10);
    expect(withdrawals).toBeGreaterThan(0);
  });
});
