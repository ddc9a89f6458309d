import { describe, expect, it } from "vitest";
import { playHistories } from "./histories.js";

describe("after whatever traders, wallets, prices and liquidators did", () => {
  it("an account on the exchange is, to the unit, what it is on chain", async () => {
    const { trades, withdrawals } = await playHistories({ seeds: 2, steps: 130, checkEvery: 26 });
    // How a history goes on depends on when the chain answers, so that how often the rarer things happen is asked of many only.
    expect(trades).toBeGreaterThan(10);
    expect(withdrawals).toBeGreaterThan(0);
  });
});
