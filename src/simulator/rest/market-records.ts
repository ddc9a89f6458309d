import type { Side } from "../../core/units.js";
import type { WireLevel, WirePublicTrade } from "../../exchange/wire-types.js";
import type { Trade } from "../accounts/records.js";
import type { Market } from "../markets/market.js";

/** The public face of a trade (specification, "Public trade"). */
export function publicTradeFields(trade: Trade, status: string): WirePublicTrade {
  const { instrument } = trade.market;
  return {
    id: trade.id,
    price: instrument.priceOf(trade.ticks),
    amount: instrument.amountOf(trade.lots),
    quoteAmount: instrument.creditToDecimal(trade.quote),
    time: trade.timeMs,
    isBuyerMaker: trade.isBuyerMaker,
    status,
  };
}

/** A trade's status now: one among house agents has no settlement of its own and counts as settled once its time has come. */
export function publicStatus(trade: Trade, nowMs: number): string {
  return trade.settlesAtMs !== null && nowMs >= trade.settlesAtMs ? "SETTLED" : trade.status;
}

/** The published levels of a side, best first. */
export function levelRecords(market: Market, side: Side, limit: number): WireLevel[] {
  const levels: WireLevel[] = [];
  market.engine.forEachLevel(side, (ticks, lots) => {
    if (levels.length < limit) {
      levels.push([market.instrument.priceOf(ticks), market.instrument.amountOf(lots)]);
    }
    return levels.length < limit;
  });
  return levels;
}
