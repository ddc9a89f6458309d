import { describe, expect, it } from "vitest";
import { formatExplanation } from "#bot/format-explanation.js";
import { explain } from "./explained.js";
import { botConfigOf } from "./recorded-run.js";

const config = botConfigOf({
  references: { index: { index: "btcusdc" } },
  markets: {
    btcusdc: {
      strategy: "pegged",
      params: { edgeBps: 3, sizeBase: 0.02, hedge: { takerFeeBps: 4.5, slippageBps: 1 } },
      limits: { maxPositionBase: "0.5", maxOrderBase: "0.1" },
      reference: { from: ["index"] },
    },
  },
});

describe("explain of a market with a reference price", () => {
  it("shows the margin's parts, the sources, and what a wrong price could do", async () => {
    const { explanation } = await explain(config);
    const { btcusdc } = explanation.markets;
    expect(btcusdc?.state).toBe("quoting");
    // The exchange's maker rebate is 1 basis point: -1 + 3 + 4.5 + 1.
    expect(btcusdc?.reason?.terms).toMatchObject({
      makerFeeBps: -1,
      edgeBps: 3,
      hedgeTakerFeeBps: 4.5,
      hedgeHalfSpreadBps: 0,
      hedgeSlippageBps: 1,
      marginBps: 7.5,
    });
    const price = Number(btcusdc?.reference?.price);
    expect(btcusdc?.quotes).toHaveLength(2);
    for (const { side, price: quoted } of btcusdc?.quotes ?? []) {
      const away = side === "BUY" ? price - Number(quoted) : Number(quoted) - price;
      // The status rounds the price to a tenth of a tick.
      expect((away / price) * 10_000).toBeGreaterThan(7.499);
    }
    expect(btcusdc?.reference).toMatchObject({
      state: "good",
      sources: [{ name: "index", counts: true }],
    });
    const text = formatExplanation(explanation);
    expect(text).toMatch(/^ {2}reference [\d.]+, [\d.]+ s old, index$/m);
    expect(text).toMatch(/^ {2}source {4}index: [\d.]+, [\d.]+ s old, weight 1: counts$/m);
    expect(text).toContain(
      "  if wrong  it has one source: if that is wrong, the quotes follow it at once\n",
    );
    expect(text).toMatch(/^ {2}if wrong {2}.* all of a side fills: long 0\.02 or short -?0\.02$/m);
  });

  it("shows none in a market without one", async () => {
    const { explanation } = await explain(botConfigOf());
    expect(explanation.markets.btcusdc?.reference).toBeUndefined();
    expect(formatExplanation(explanation)).not.toContain("reference");
  });
});
