import { ceilDivide } from "../../core/bigints.js";
import type { Instrument } from "../../core/instrument.js";
import type { Lots, MarketId } from "../../core/units.js";
import type { MarketHedger } from "../../hedge/market-hedger.js";
import type { MarketHedgeConfig } from "../config/config.js";

/** A market that is hedged. */
export interface HedgedMarket {
  readonly marketId: MarketId;
  readonly venue: string;
  readonly config: MarketHedgeConfig;
  readonly hedger: MarketHedger;
  readonly instrument: Instrument;
}

/** Lots of a venue in those of the market, truncated or rounded away from zero. */
export function toMarketLots(
  { instrument, hedger }: Pick<HedgedMarket, "instrument" | "hedger">,
  lots: Lots,
  rounding: "towards zero" | "away from zero" = "towards zero",
): Lots {
  if (lots === 0) return 0;
  const there = hedger.contract.instrument;
  const paper = there.lotsToPaper(Math.abs(lots)) * 10n ** BigInt(instrument.paperDecimals);
  const unit = instrument.paperPerLot * 10n ** BigInt(there.paperDecimals);
  const size = Number(rounding === "towards zero" ? paper / unit : ceilDivide(paper, unit));
  return lots < 0 ? -size : size;
}

/** Lots of a market in those of its venue, rounded up. */
export function toVenueLots({ instrument, hedger }: HedgedMarket, lots: Lots): Lots {
  const there = hedger.contract.instrument;
  const paper = instrument.lotsToPaper(lots) * 10n ** BigInt(there.paperDecimals);
  return Number(ceilDivide(paper, there.paperPerLot * 10n ** BigInt(instrument.paperDecimals)));
}
