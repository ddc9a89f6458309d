import { atLeastZero } from "../../core/bigints.js";
import type { CreditUnits, Side } from "../../core/units.js";
import { divFixed } from "../../perpetual/fixed-point.js";
import type { Market } from "./market.js";

/**
 * The premium of the book over the index, scaled by 10^18 and truncated
 * (docs/reference/protocol.md#funding). `impact` uses the average prices at which the impact
 * notional would be sold and bought, `mid` the mid. Null where the index or a side of the book is
 * missing, or a side is thinner than the impact notional.
 */
export function computePremium(market: Market, kind: "impact" | "mid"): bigint | null {
  const { index } = market.prices;
  if (index <= 0n) {
    return null;
  }
  if (kind === "mid") {
    const { midTicks } = market;
    return Number.isNaN(midTicks)
      ? null
      : divFixed(market.prices.toCreditPrice(midTicks) - index, index);
  }
  const notional = market.rules.impactNotional;
  const bid = impactPrice(market, "BUY", notional);
  const ask = impactPrice(market, "SELL", notional);
  if (bid === null || ask === null) {
    return null;
  }
  return divFixed(atLeastZero(bid - index) - atLeastZero(index - ask), index);
}

/**
 * The average price, in credit units per whole base unit, of taking a notional from a side; null if
 * the side has less.
 */
function impactPrice(market: Market, side: Side, notional: CreditUnits): CreditUnits | null {
  const { engine, instrument } = market;
  let left = notional;
  let paper = 0n;
  engine.forEachLevel(side, (ticks, lots) => {
    const value = instrument.creditFloor(ticks, lots);
    const whole = instrument.lotsToPaper(lots);
    if (value > left) {
      paper += (whole * left) / value;
      left = 0n;
    } else {
      paper += whole;
      left -= value;
    }
    return left > 0n;
  });
  return left > 0n || paper === 0n ? null : (notional * instrument.paperUnit) / paper;
}
