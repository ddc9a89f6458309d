import type { Lots } from "../../core/units.js";
import type { HedgeView } from "../../market/view.js";
import { type HedgedMarket, toMarketLots } from "./hedged-market.js";

/** Figures of a hedge that its market has apart from it. */
export interface HedgeViewFigures {
  /** Signed position of this exchange alone. */
  readonly ownPositionLots: Lots;
  /** Units of this exchange's quote asset for one of the venue's; undefined while not known. */
  readonly rate: number | undefined;
  readonly takerFeeBps: number | undefined;
}

/** The frozen view of a hedge at this instant. */
export function createHedgeView(
  hedged: HedgedMarket,
  { ownPositionLots, rate = Number.NaN, takerFeeBps = Number.NaN }: HedgeViewFigures,
): HedgeView {
  const { hedger, instrument } = hedged;
  const { touch, midTicks = Number.NaN, fundingRate, contract } = hedger;
  const ticksThere = (rate * contract.instrument.tickQuote) / instrument.tickQuote;
  const spreadTicks = touch === undefined ? Number.NaN : touch.askTicks - touch.bidTicks;
  return Object.freeze({
    ownPositionLots,
    positionLots: toMarketLots(hedged, hedger.positionLots),
    midTicks: midTicks * ticksThere,
    halfSpreadTicks: (spreadTicks / 2) * ticksThere,
    fundingRate: fundingRate?.fundingRate ?? 0,
    nextFundingMs: fundingRate?.nextFundingMs ?? 0,
    takerFeeBps,
  });
}
