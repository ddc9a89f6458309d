import { Instrument } from "#core/instrument.js";
import type { Lots, Side } from "#core/units.js";
import {
  HEDGE_DECIMALS,
  type HedgeContract,
  type HedgeFill,
  type HedgeOrderReport,
  type HedgePlace,
  type HedgeUnits,
} from "#hedge/hedge-venue.js";

/** The symbol of all hedges in tests of one contract. */
export const SYMBOL = "BTC/USDT:USDT";
/** The tag of the tested bot. */
export const TAG = 0xbeef;
/** An order of the tested bot. */
export const KEY = "mw-beef000000000001";

/** Bitcoin in lots of 0.001 and ticks of 0.1: one tick times one lot is 10,000 units. */
export const CONTRACT: HedgeContract = {
  symbol: SYMBOL,
  instrument: new Instrument({
    marketId: SYMBOL,
    tickSize: "0.1",
    stepSize: "0.001",
    creditDecimals: HEDGE_DECIMALS,
    paperDecimals: 18,
  }),
  baseAsset: "BTC",
  quoteAsset: "USDT",
  minLots: 1,
  maxLots: 1_000,
  minNotional: 0n,
};

/** The value of lots at a price, in units. */
export function lotsValue(ticks: number, lots: Lots): HedgeUnits {
  return BigInt(ticks) * BigInt(lots) * 10_000n;
}

export function hedgePlace(more: Partial<HedgePlace> = {}): HedgePlace {
  return {
    kind: "place",
    actionId: 1,
    symbol: SYMBOL,
    key: KEY,
    side: "BUY",
    lots: 10,
    ticks: 600_000,
    timeInForce: "IOC",
    isReduceOnly: false,
    ...more,
  };
}

export function orderReport(
  filledLots: Lots,
  isOpen: boolean,
  more: Partial<HedgeOrderReport> = {},
): HedgeOrderReport {
  const status = isOpen ? "open" : "closed";
  return { key: KEY, symbol: SYMBOL, side: "BUY", lots: 10, filledLots, isOpen, status, ...more };
}

export function hedgeFill(
  id: string,
  side: Side,
  lots: Lots,
  more: Partial<HedgeFill> = {},
): HedgeFill {
  return {
    id,
    symbol: SYMBOL,
    key: KEY,
    side,
    lots,
    quote: lotsValue(600_000, lots),
    fee: 0n,
    feeAsset: "USDT",
    isMaker: false,
    timeMs: 1_000_000,
    isReversed: false,
    ...more,
  };
}
