import { describe, expect, it } from "vitest";
import { playHistories } from "./histories.js";

describe("after whatever traders, wallets, prices and liquidators did", () => {
  it("an account on the exchange is, to the unit, what it is on chain", async () => {
    const happened = await playHistories({ seeds: 2, steps: 130, checkEvery: 26 });
    // A history in which nothing of it happened would show nothing.
    for (const [what, times] of Object.entries(happened)) expect({ what, happened: times > 0 }).toEqual({ what, happened: true });
  }, 60_000);
});
