import { describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { TouchMaker } from "#simulator/touch-maker.js";
import { btcGrid } from "./capture-fixture.js";
import { EngineMarket } from "./engine-market.js";

const PARAMS = {
  levels: 3,
  levelQuote: 2_500,
  sizeSigma: 0.7,
  toleranceBps: 0.1,
  looksPerSecond: 12,
};

/** A market at 600,000 ticks, where a tolerance of a tenth of a basis point is six ticks. */
function opened() {
  const market = new EngineMarket("btcusdc", btcGrid, new VirtualClock(1_700_000_000_000));
  const agent = new TouchMaker(PARAMS, seededRandom(1));
  const look = (fundamentalTicks: number) => agent.act({ market, fundamentalTicks });
  const book = () => {
    const { bids, asks } = market.depth(20);
    return [bids.map(({ ticks }) => ticks), asks.map(({ ticks }) => ticks)];
  };
  return { market, look, book };
}

describe("the agent at the touch", () => {
  it("quotes both sides a tick apart around the fundamental, one tick from level to level", () => {
    const { look, book } = opened();
    expect(look(600_000.4)).toBeGreaterThanOrEqual(1);
    expect(book()).toEqual([
      [600_000, 599_999, 599_998],
      [600_001, 600_002, 600_003],
    ]);
  });

  it("stays where it is within its tolerance, and moves as a whole beyond it", () => {
    const { market, look, book } = opened();
    look(600_000.4);
    const calls = market.calls;
    look(600_006.2);
    expect(market.calls).toBe(calls);
    look(600_006.8);
    expect(book()).toEqual([
      [600_006, 600_005, 600_004],
      [600_007, 600_008, 600_009],
    ]);
  });

  it("replaces filled orders, and nothing else", () => {
    const { market, look, book } = opened();
    look(600_000.4);
    const calls = market.calls;
    market.place({
      agent: "taker",
      side: "BUY",
      ticks: 600_001,
      lots: 1_000_000,
      timeInForce: "IOC",
    });
    expect(book()[1]).toEqual([600_002, 600_003]);
    look(600_000.4);
    expect(book()[1]).toEqual([600_001, 600_002, 600_003]);
    // The taker's order, the cancel of the filled one, and the new one.
    expect(market.calls - calls).toBe(3);
  });

  it("does not take a stale quote that is in its way, and quotes there once it is gone", () => {
    const { market, look, book } = opened();
    const stale = market.place({
      agent: "slow",
      side: "SELL",
      ticks: 599_999,
      lots: 5,
      timeInForce: "POST_ONLY",
    });
    look(600_000.4);
    expect(stale?.openLots).toBe(5);
    expect(book()).toEqual([[599_998], [599_999, 600_001, 600_002, 600_003]]);
    if (stale !== null) market.cancel(stale);
    look(600_000.4);
    expect(book()[0]).toEqual([600_000, 599_999, 599_998]);
  });
});
