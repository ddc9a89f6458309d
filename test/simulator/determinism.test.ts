import { describe, expect, it } from "vitest";
import { traders } from "./reference-client.js";

const MARKETS = ["btcusdc", "ethusdc"] as const;

/** Every response that three traders get in two markets, including tokens, failures and funding. */
async function answers(seed: number): Promise<string[]> {
  const markets = { btcusdc: {}, ethusdc: { baseAsset: "ETH" } };
  const config = {
    seed,
    markets,
    settlement: { failureRate: 0.4 },
    choices: { waiveGasFeeMinimumAmount: "100000" },
  };
  const { alice, bob, carol, clock, exchange } = traders(config);
  const heard: string[] = [];
  for (let round = 0; round < 30; round += 1) {
    for (const [place, client] of [alice, bob, carol].entries()) {
      const marketId = MARKETS[(round + place) % 2] ?? "btcusdc";
      const terms = {
        marketId,
        side: (round + place) % 3 === 0 ? "SELL" : "BUY",
        orderType: "LIMIT",
        amount: `0.0${1 + ((round + place) % 5)}`,
        price: String(30_000 + ((round * 7 + place * 3) % 11)),
        timeInForce: ["GTC", "IOC", "FOK", "POST_ONLY"][(round * 3 + place) % 4] ?? "GTC",
      };
      const built = client.call("POST", "/v1/order/build", terms);
      const orderSignature = client.order("BUY", "1", "1").orderSignature;
      const { order, gasFeeQuotation } = built.json;
      const placed = client.call("POST", "/v1/order", {
        ...terms,
        info: order.info,
        orderSignature,
        gasFeeQuotation,
      });
      heard.push(built.body, placed.body);
    }
    await clock.runFor(700);
    heard.push(alice.raw("GET", "/v1/exchangeInfo").body, bob.call("GET", "/v1/balances").body);
    heard.push(carol.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).body);
  }
  expect(exchange.audit().isConserved).toBe(true);
  exchange.stop();
  return heard;
}

describe("an exchange in virtual time", () => {
  it("gives the same responses under the same seed, to the byte, and others under another seed", async () => {
    const first = await answers(7);
    expect(await answers(7)).toEqual(first);
    expect(await answers(8)).not.toEqual(first);
    expect(first.some((body) => body.includes('"status":"FAILED"'))).toBe(true);
    expect(first.some((body) => body.includes('"status":"SETTLED"'))).toBe(true);
  });
});
