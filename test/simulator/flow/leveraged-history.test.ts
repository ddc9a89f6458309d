import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accountOf, riskyAccounts, traders } from "./leveraged-markets.js";

describe("the history of leveraged traders", () => {
  /** Everything that an account holder or a reader of the market can see. */
  async function history(seed: number, stepMs: number): Promise<string> {
    const shocks = { firstMs: 15_000, everyMs: 15_000, sizeBps: { min: 100, max: 200 } };
    const leveraged = { holdMs: 10_000, pauseMs: 5_000, severalMarketsShare: 0.5 };
    const { clock, exchange, addresses } = traders({
      seed,
      count: 5,
      shocks,
      leveraged,
      exchange: { settlement: { failureRate: 0.1 } },
    });
    exchange.start();
    const seen: unknown[] = [];
    for (let elapsed = stepMs; elapsed <= 60_000; elapsed += stepMs) {
      await clock.runFor(stepMs);
      if (elapsed % 20_000 === 0)
        seen.push(
          riskyAccounts(exchange),
          addresses.map((address) => exchange.balances(address)),
        );
    }
    for (const id of ["btcusdc", "ethusdc"]) {
      const { ip, method } = { ip: "10.0.0.1", method: "GET" };
      seen.push(
        exchange.handle({
          method,
          path: "/v1/historicalTrades",
          query: `marketId=${id}&limit=500`,
          body: "",
          ip,
        }).body,
      );
      for (const address of addresses) {
        const orders =
          accountOf(exchange, address).markets.get(id)?.history.page({ limit: 500 }) ?? [];
        seen.push(orders.map(({ terms, status }) => [terms.hash, terms.signature, status]));
      }
    }
    exchange.stop();
    return JSON.stringify(seen);
  }

  it("is the same to the byte under the same seed, for any time steps, and another under another seed", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1_000_000),
        fc.constantFrom(500, 2_000, 10_000),
        async (seed, stepMs) => {
          const first = await history(seed, 1_000);
          expect(await history(seed, stepMs)).toBe(first);
          expect(await history(seed + 1, 10_000)).not.toBe(first);
        },
      ),
      { numRuns: 4 },
    );
  });
});
