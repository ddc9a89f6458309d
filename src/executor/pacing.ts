import type { Quote } from "../strategies/intent.js";
import type { QuoteTolerance } from "./match-quotes.js";

/** Share of the window's tokens below which orders follow their quotes less closely. */
const PACE_BELOW = 0.5;
/**
 * Maximum deviation without tokens: of a price as a share of the half spread, of a size as a
 * fraction.
 */
const MOST_OF_HALF_SPREAD = 0.5;
const MOST_SIZE_FRACTION = 0.5;

/**
 * Returns true if so few tokens are left that orders follow their quotes less closely.
 * @param tokensFraction 0 to 1
 */
export function isPaced(tokensFraction: number): boolean {
  return tokensFraction < PACE_BELOW;
}

/**
 * The tolerance at a level of tokens. As the window's tokens run low, an order may be further from
 * its quote before it is replaced. A strategy that requests more actions than the exchange grants
 * then quotes slightly worse all the time, instead of not at all for most of a minute. From half of
 * the tokens on, the tolerance is as configured.
 * @param tokensFraction tokens left as a fraction of the window's limit, 0 to 1
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
  for (let at = 0; at < quotes.length; at++) {
    const { side, ticks } = quotes[at];
    if (side === "BUY") bestBid = Math.max(bestBid, ticks);
    else bestAsk = Math.min(bestAsk, ticks);
  }
  const halfSpread = (bestAsk - bestBid) / 2;
  // One side alone gives no spread to measure a deviation of one tick against.
  const priceTicks = Number.isFinite(halfSpread)
    ? Math.floor(pressure * MOST_OF_HALF_SPREAD * halfSpread)
    : 0;
  return {
    priceTicks: Math.max(tolerance.priceTicks, priceTicks),
    sizeFraction: Math.max(tolerance.sizeFraction, pressure * MOST_SIZE_FRACTION),
  };
}
