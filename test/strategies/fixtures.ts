import { asyncScheduler } from "rxjs";
import { Instrument } from "#core/instrument.js";
import { seededRandom } from "#core/seeded-random.js";
import { computeMicroPriceTicks } from "#market/micro-price.js";
import type { MarketView } from "#market/view.js";
import type { StrategyContext } from "#strategies/strategy.js";

/** Ticks of 0.1, lots of 0.001. */
export const testInstrument = new Instrument({
  marketId: "ethusdc",
  tickSize: "0.1",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});

/**
 * A view of a market at 10,000 ticks (1 bps = 1 tick), 2 ticks wide, a flat position and a limit of
 * 2,000 lots.
 */
export function testView(
  changes: Partial<MarketView> & { bid?: number; ask?: number } = {},
): MarketView {
  const { bid = 9999, ask = 10_001, ...rest } = changes;
  const bids = rest.bids ?? [{ ticks: bid, lots: 100 }];
  const asks = rest.asks ?? [{ ticks: ask, lots: 100 }];
  const micro = computeMicroPriceTicks(bids[0], asks[0]);
  return {
    marketId: "ethusdc",
    instrument: testInstrument,
    sequence: 1,
    timeMs: 1_000_000,
    cause: "timer",
    bids,
    asks,
    midTicks: (bids[0].ticks + asks[0].ticks) / 2,
    microPriceTicks: micro,
    microPrice: micro,
    markTicks: 10_000,
    indexTicks: 10_000,
    fundingRate: 0,
    nextFundingMs: 0,
    tradedHighTicks: Number.NaN,
    tradedLowTicks: Number.NaN,
    tradedLots: 0,
    positionLots: 0,
    equity: 0n,
    maxPositionLots: 2000,
    ...rest,
  };
}

/** The context of the test market. A strategy without a timer never uses its scheduler. */
export function testContext(changes: Partial<StrategyContext> = {}): StrategyContext {
  return {
    marketId: "ethusdc",
    instrument: testInstrument,
    scheduler: asyncScheduler,
    random: seededRandom(1),
    ...changes,
  };
}
