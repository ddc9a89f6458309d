import { describe, expect, it } from "vitest";
import { formatExplanation } from "#bot/format-explanation.js";
import { explain } from "./explained.js";
import { botConfigOf } from "./recorded-run.js";

/** 57,000 to 63,000 quote in six cells of 1000, 0.01 each, flat at 60,000. */
const PARAMS = {
  lowerPrice: 57_000,
  upperPrice: 63_000,
  cells: 6,
  spacing: "arithmetic",
  sizeBase: 0.01,
};

async function explainGrid(limits: object = {}, params: object = PARAMS) {
  const config = botConfigOf({
    exchange: {
      rest: "http://exchange.test/v1",
      stream: "ws://exchange.test/v1",
      makerFeeRate: "0.0002",
      takerFeeRate: "0.0005",
    },
    markets: { btcusdc: { strategy: "grid", params, limits: { maxPositionBase: 1, ...limits } } },
  });
  return (await explain(config)).explanation;
}

describe("explain of a grid that has not started", () => {
  it("shows position, loss, margin and break-even at both ends, by the exchange's own fee", async () => {
    const explanation = await explainGrid();
    const market = explanation.markets.btcusdc;
    const { plan, quotes } = market ?? {};
    const fee = (quotes?.[0]?.makerFeeBps ?? Number.NaN) / 10_000;
    expect(fee).toBe(0.0002);
    // The market allows 20 times leverage.
    const margin = 1 / 20;
    expect(plan?.levels).toEqual([
      { price: "57000", positionBase: "0.03" },
      { price: "58000", positionBase: "0.02" },
      { price: "59000", positionBase: "0.01" },
      { price: "60000", positionBase: "0" },
      { price: "61000", positionBase: "-0.01" },
      { price: "62000", positionBase: "-0.02" },
      { price: "63000", positionBase: "-0.03" },
    ]);
    // Bought at 59,000, 58,000 and 57,000; worth 57,000 each there.
    const paid = 0.01 * (59_000 + 58_000 + 57_000);
    const loss = paid - 0.03 * 57_000 + paid * fee;
    expect(plan?.lowest).toMatchObject({ price: "57000", positionBase: "0.03" });
    expect(plan?.lowest.averagePriceQuote).toBeCloseTo(58_000, 6);
    expect(plan?.lowest.breakEvenPriceQuote).toBeCloseTo((58_000 * (1 + fee)) / (1 - fee), 6);
    expect(Number(plan?.lowest.lossQuote)).toBeCloseTo(loss, 5);
    expect(Number(plan?.lowest.marginQuote)).toBeCloseTo(0.03 * 57_000 * margin, 4);
    expect(Number(plan?.lowest.capitalQuote)).toBeCloseTo(loss + 0.03 * 57_000 * margin, 4);
    // Sold at 61,000, 62,000 and 63,000.
    const received = 0.01 * (61_000 + 62_000 + 63_000);
    expect(plan?.highest.averagePriceQuote).toBeCloseTo(62_000, 6);
    expect(plan?.highest.breakEvenPriceQuote).toBeCloseTo((62_000 * (1 - fee)) / (1 + fee), 6);
    expect(Number(plan?.highest.lossQuote)).toBeCloseTo(
      0.03 * 63_000 - received + received * fee,
      5,
    );
    // The highest cell pays the most in fees.
    const least = 0.01 * (1000 - fee * (62_000 + 63_000));
    expect(Number(plan?.roundTrip.leastQuote)).toBeCloseTo(least, 5);
    expect(Number(plan?.roundTrip.mostQuote)).toBeCloseTo(
      0.01 * (1000 - fee * (57_000 + 58_000)),
      5,
    );
    expect(plan?.roundTrip.breakEvenFeeBps).toBeCloseTo((10_000 * 1000) / 125_000, 6);
    expect(plan?.lowest.roundTripsToEarnLoss).toBe(Math.ceil(loss / least));
    expect(plan?.mostBase).toBe("0.03");
    const text = formatExplanation(explanation);
    expect(text).toContain("plan      7 levels from 57000 to 63000; a round trip earns");
    expect(text).toMatch(/plan {6}at 57000: 0\.03 at an average of 58000, breaks even at 580\d\d/);
    // The two figures count different fees: one line with both has to say so.
    expect(text).toMatch(
      /at 57000: .* after the fees of both ways; loss there [\d.]+ with the fees of its fills alone/,
    );
    expect(text).toContain("at 60000 it holds 0\n");
    expect(explanation.implausible).toEqual([]);
  });

  it("warns of a plan beyond the position limit, and of one that needs more than there is", async () => {
    const limited = await explainGrid({ maxPositionBase: 0.02 });
    expect(limited.implausible.map(({ text }) => text)).toEqual([
      expect.stringContaining(
        "the plan holds up to 0.03, more than limits.maxPositionBase allows (0.02)",
      ),
    ]);
    const large = await explainGrid({ maxPositionBase: 90 }, { ...PARAMS, sizeBase: 20 });
    expect(large.implausible.filter(({ text }) => text.startsWith("the plan needs"))).toHaveLength(
      2,
    );
  });
});
