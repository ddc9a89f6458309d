import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { summariseWork, type WorkFacts } from "#bot/work-summary.js";
import { Instrument } from "#core/instrument.js";
import type { VenueTrade } from "#exchange/records.js";

const instrument = new Instrument({
  marketId: "btcusdc",
  tickSize: "0.1",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});

let ids = 0;
function trade(side: "BUY" | "SELL", ticks: number, lots: number, isMaker = true): VenueTrade {
  const quote = instrument.creditFloor(ticks, lots);
  ids += 1;
  return {
    id: String(ids),
    marketId: "btcusdc",
    side,
    isMaker,
    ticks,
    lots,
    quote,
    commission: isMaker ? -quote / 10_000n : quote / 2_000n,
    timeMs: 0,
    status: "CREATED",
  };
}

function facts(over: Partial<WorkFacts>): WorkFacts {
  return {
    instrument,
    baseAsset: "BTC",
    quoteAsset: "USDC",
    isReached: true,
    reason: "the target is reached",
    startLots: 0,
    targetLots: 30,
    endLots: 30,
    startMs: 0,
    endMs: 1000,
    byMs: 2000,
    worstTicks: 700_000,
    trades: [],
    arrivalTicks: 600_000,
    twapTicks: 600_000,
    vwapTicks: undefined,
    ...over,
  };
}

describe("the summary of a work", () => {
  it("has a cost above zero for what was bought above a price, and below zero for what was below", () => {
    const summary = summariseWork(
      facts({
        trades: [trade("BUY", 600_060, 10), trade("BUY", 600_120, 20, false)],
        arrivalTicks: 600_000,
        twapTicks: 600_100,
        vwapTicks: 600_150,
      }),
    );
    expect(summary).toMatchObject({
      side: "BUY",
      filledBase: "0.03",
      averagePriceQuote: "60010.000",
      makerShare: 1 / 3,
      arrival: { priceQuote: "60000.000", costQuote: "0.3", costBps: 1.667 },
      twap: { costQuote: "0", costBps: 0 },
      vwap: { costQuote: "-0.15", costBps: -0.833 },
    });
    // A rebate of 1 bps on a third, a fee of 5 bps on the rest.
    expect(summary.feesBps).toBeCloseTo(3, 2);
  });

  it("turns the sign for what was sold", () => {
    const { arrival } = summariseWork(
      facts({ startLots: 10, targetLots: 0, endLots: 0, trades: [trade("SELL", 599_400, 10)] }),
    );
    expect(arrival).toEqual({ priceQuote: "60000.000", costQuote: "0.6", costBps: 10 });
  });

  it("costs a buyer what it saves a seller, for any fills and prices, and adds up to the fills", () => {
    const fill = fc.tuple(
      fc.integer({ min: 500_000, max: 700_000 }),
      fc.integer({ min: 1, max: 900 }),
    );
    fc.assert(
      fc.property(
        fc.array(fill, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1_000_000, max: 1_400_000 }),
        (fills, halfTicks) => {
          const total = fills.reduce((sum, [, lots]) => sum + lots, 0);
          const of = (side: "BUY" | "SELL") =>
            summariseWork(
              facts({
                targetLots: side === "BUY" ? total : -total,
                trades: fills.map(([ticks, lots]) => trade(side, ticks, lots)),
                arrivalTicks: halfTicks / 2,
              }),
            );
          const [bought, sold] = [of("BUY"), of("SELL")];
          expect(Number(bought.arrival?.costQuote)).toBe(-Number(sold.arrival?.costQuote) || 0);
          const paid = fills.reduce((sum, [ticks, lots]) => sum + ticks * lots, 0) / 10_000;
          const cost = paid - (halfTicks * total) / 20_000;
          expect(Number(bought.arrival?.costQuote)).toBeCloseTo(cost, 5);
          expect(bought.filledBase).toBe(instrument.formatAmount(total));
        },
      ),
    );
  });

  it("has no cost without a fill, and counts no trade against the work's side", () => {
    const summary = summariseWork(facts({ trades: [trade("SELL", 600_000, 5)] }));
    expect(summary).toMatchObject({
      fills: 0,
      filledBase: "0",
      averagePriceQuote: null,
      arrival: null,
      makerShare: null,
      feesQuote: "0",
    });
  });

  it("shows what is still to be traded, with its sign", () => {
    expect(summariseWork(facts({ endLots: 10, isReached: false })).leftBase).toBe("0.02");
    expect(summariseWork(facts({ targetLots: -30, endLots: 10 })).leftBase).toBe("-0.04");
    expect(summariseWork(facts({ endLots: undefined })).leftBase).toBeNull();
  });
});
