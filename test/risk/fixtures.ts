import { Instrument } from "#core/instrument.js";
import type { Side } from "#core/units.js";
import type { AccountExposure, ExposureOrder, MarketExposure } from "#risk/exposure.js";

/** One tick times one lot is one credit unit, so that the arithmetic is easy to read. */
const PLAIN = new Instrument({
  marketId: "plain",
  tickSize: "1",
  stepSize: "1",
  creditDecimals: 0,
  paperDecimals: 18,
});

export function resting(
  side: Side,
  ticks: number,
  mayFillLots: number,
  over: Partial<ExposureOrder> = {},
): ExposureOrder {
  return { hash: `0x${side}${ticks}`, side, ticks, mayFillLots, phase: "open", ...over };
}

/** A market marked at 100 without position, orders, fees or limits; 20x, 3 % maintenance. */
export function market(over: Partial<MarketExposure> = {}): MarketExposure {
  return {
    marketId: "plain",
    instrument: PLAIN,
    positionLots: 0,
    markTicks: 100,
    orders: [],
    foreignOrders: [],
    maintenancePpm: 30_000,
    initialPpm: 50_000,
    feePpm: 0,
    availableCredit: undefined,
    limits: {},
    ...over,
  };
}

export function account(netValue: number, ...markets: MarketExposure[]): AccountExposure {
  return {
    netValue: BigInt(netValue),
    markets: new Map(markets.map((one) => [one.marketId, one])),
  };
}
