/** How the prices of several sources become one. */
export type Combination = "median" | "mean";

/** A price, and its weight among others. */
export interface WeightedPrice {
  /** Above 0. */
  readonly price: number;
  /** Above 0. */
  readonly weight: number;
}

/** The result of {@link combinePrices}. */
export interface CombinedPrice {
  /** The combined price; NaN if the prices disagree, or if there is none. */
  readonly price: number;
  /** For each price, in order: true if it counts. None counts if they disagree. */
  readonly counts: readonly boolean[];
  /** True if no majority of the prices is within the deviation. */
  readonly isDisagreeing: boolean;
}

/**
 * Combines the prices of several sources. Of three or more, those further than the deviation from
 * their weighted median are left out, provided that the others are more than half of the sources,
 * and at least two. Otherwise the prices disagree, as two do that are further apart than the
 * deviation. One price is taken as it is.
 *
 * @param maxDeviationBps largest distance in basis points: of the median, or of the middle of two
 */
export function combinePrices(
  prices: readonly WeightedPrice[],
  combination: Combination,
  maxDeviationBps: number,
): CombinedPrice {
  const all = prices.map(() => true);
  if (prices.length === 0) return { price: Number.NaN, counts: all, isDisagreeing: false };
  const middle =
    prices.length === 2 ? (prices[0].price + prices[1].price) / 2 : weightedMedian(prices);
  const distance = (maxDeviationBps / 10_000) * middle;
  // Two are compared with each other, more with their median.
  const reach = prices.length === 2 ? distance / 2 : distance;
  const counts = prices.map(({ price }) => Math.abs(price - middle) <= reach);
  const counted = prices.filter((_price, at) => counts[at]);
  const isMajority = counted.length * 2 > prices.length;
  if (prices.length > 1 && (counted.length < 2 || !isMajority))
    return { price: Number.NaN, counts: prices.map(() => false), isDisagreeing: true };
  const combined = combination === "median" ? weightedMedian(counted) : weightedMean(counted);
  return { price: combined, counts, isDisagreeing: false };
}

/**
 * The price at which half of the weight lies on either side; the middle of two prices if the half
 * falls exactly between them.
 */
function weightedMedian(prices: readonly WeightedPrice[]): number {
  const ascending = [...prices].sort((one, other) => one.price - other.price);
  const half = ascending.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let below = 0;
  for (const [at, { price, weight }] of ascending.entries()) {
    below += weight;
    if (below > half) return price;
    if (below === half) return (price + ascending[at + 1].price) / 2;
  }
  return ascending[ascending.length - 1].price;
}

function weightedMean(prices: readonly WeightedPrice[]): number {
  let sum = 0;
  let weights = 0;
  for (const { price, weight } of prices) {
    sum += price * weight;
    weights += weight;
  }
  return sum / weights;
}
