import type { Quote } from "../strategies/intent.js";
import type { QuoteTolerance } from "./match-quotes.js";

/** Below this share of the window's tokens quotes begin to be followed less closely. */
const PACE_BELOW = 0.5;
/** With no token left a price may be off by this share of the half spread, and a size by this fraction. */
const MOST_OF_HALF_SPREAD = 0.5;
const MOST_SIZE_FRACTION = 0.5;

/** Whether so few tokens are left that quotes are followed less closely. @param tokensFraction 0 to 1 */
export function isPaced(tokensFraction: number): boolean {
  return tokensFraction < PACE_BELOW;
}

/**
 * The tolerance that tokens allow: as the window's tokens run low, an order may stand further from its quote before it is replaced, so
 * that a strategy which asks for more actions than the exchange grants quotes a little worse all the time instead of not at all for most
 * of a minute. At least half a share of tokens: the tolerance as configured.
 *
 * @param tokensFraction tokens left over the window's limit, 0 to 1.
 */
export function paceTolerance(
  tolerance: QuoteTolerance,
  quotes: readonly Quote[],
  tokensFraction: number,
): QuoteTolerance {
  const pressure = Math.min(1, Math.max(0, (PACE_BELOW - tokensFraction) / PACE_BELOW));
  if (pressure === 0) return tolerance;
  let bestBid = Number.NEGATIVE_INFINITY;
  let bestAsk = Number.POSITIVE_INFINITY;
  for (const { side, ticks } of quotes) {
    if (side === "BUY") bestBid = Math.max(bestBid, ticks);
    else bestAsk = Math.min(bestAsk, ticks);
  }
  const halfSpread = (bestAsk - bestBid) / 2;
  // One side alone says nothing of what being off by a tick costs.
  const priceTicks = Number.isFinite(halfSpread)
    ? Math.floor(pressure * MOST_OF_HALF_SPREAD * halfSpread)
    : 0;
  return {
    priceTicks: Math.max(tolerance.priceTicks, priceTicks),
    sizeFraction: Math.max(tolerance.sizeFraction, pressure * MOST_SIZE_FRACTION),
  };
}
