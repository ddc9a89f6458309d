/**
 * The quotes of O. Guéant, C.-A. Lehalle and J. Fernandez-Tapia, "Dealing with the inventory risk",
 * Mathematics and Financial Economics 7, 2013, 477-507 (arXiv 1105.3115), far from the end of the
 * horizon. The order size and the risk term of a fill are from O. Guéant, "Optimal market making",
 * Applied Mathematical Finance 24, 2017 (arXiv 1605.01862). They hold in any one unit of price P,
 * any one unit of amount U and seconds; nothing here rounds.
 */

/** Parameters of the market and the maker. */
export interface GlftModel {
  /** sigma: standard deviation of the mid, in P per square root of a second; not negative. */
  readonly sigma: number;
  /** mu: drift of the mid, in P per second. */
  readonly drift: number;
  /** A of the fill intensity `A exp(-k delta)`: fills per second at distance 0, above 0. */
  readonly fillsPerSecond: number;
  /** k of the fill intensity, per P, above 0. */
  readonly fillDecay: number;
  /** gamma: aversion to the risk of holding, per P and U, above 0. */
  readonly riskAversion: number;
  /**
   * xi: aversion to the risk of not being filled, per P and U; gamma in the paper of 2013, 0 for a
   * maker that does not mind.
   */
  readonly fillRiskAversion: number;
  /** Delta: amount of one order, in U, above 0. */
  readonly orderSize: number;
}

/** Distances of the quotes from the mid, in P. */
export interface GlftDistances {
  /** Mid less bid, in P; Infinity where there is no bid. */
  readonly bid: number;
  /** Ask less mid, in P; Infinity where there is no ask. */
  readonly ask: number;
}

/** The terms of the closed form. */
export interface GlftTerms {
  /** Half of the spread at any inventory, in P. */
  readonly halfSpread: number;
  /** Shift of both quotes per U held, in P: `sigma c2`. */
  readonly skew: number;
  /**
   * The inventory at which the quotes are symmetric, in U: `mu / (gamma sigma^2)`; 0 without drift.
   */
  readonly wantedInventory: number;
}

/**
 * The part of the distance that does not depend on inventory: `ln(1 + xi Delta / k) / (xi Delta)`,
 * or `1 / k` where xi is 0. In P.
 * @example
 * ```ts
 * import { glftFillTerm } from "marketwright";
 *
 * const term = glftFillTerm({
 *   sigma: 0.3,
 *   drift: 0,
 *   fillsPerSecond: 0.9,
 *   fillDecay: 0.3,
 *   riskAversion: 0.01,
 *   fillRiskAversion: 0.01,
 *   orderSize: 1,
 * });
 * term.toFixed(4); // => "3.2790"
 * ```
 */
export function glftFillTerm({ fillDecay: k, fillRiskAversion: xi, orderSize }: GlftModel): number {
  const risk = xi * orderSize;
  return risk === 0 ? 1 / k : Math.log1p(risk / k) / risk;
}

/**
 * The terms of the closed form: (4.6) and (4.7) of the paper of 2017, with the drift of section 5
 * of that of 2013. Accurate for little inventory and little volatility. A drift without volatility
 * has no finite solution here and is ignored.
 * @example
 * ```ts
 * import { glftTerms } from "marketwright";
 *
 * const { halfSpread, skew, wantedInventory } = glftTerms({
 *   sigma: 0.3,
 *   drift: 0,
 *   fillsPerSecond: 0.9,
 *   fillDecay: 0.3,
 *   riskAversion: 0.01,
 *   fillRiskAversion: 0.01,
 *   orderSize: 1,
 * });
 * halfSpread.toFixed(3); // => "3.313"
 * skew.toFixed(3); // => "0.068"
 * wantedInventory; // => 0
 * ```
 */
export function glftTerms(model: GlftModel): GlftTerms {
  const { sigma, drift, riskAversion: gamma, fillDecay: k, orderSize } = model;
  const skew = sigma * Math.sqrt(gamma / (2 * k * orderSize * effectiveFills(model)));
  return {
    halfSpread: glftFillTerm(model) + (orderSize / 2) * skew,
    skew,
    wantedInventory: sigma === 0 ? 0 : drift / (gamma * sigma * sigma),
  };
}

/**
 * The closed form's quotes at an inventory, in U.
 * @example
 * ```ts
 * import { type GlftModel, glftApproximateQuotes } from "marketwright";
 *
 * const model: GlftModel = {
 *   sigma: 0.3,
 *   drift: 0,
 *   fillsPerSecond: 0.9,
 *   fillDecay: 0.3,
 *   riskAversion: 0.01,
 *   fillRiskAversion: 0.01,
 *   orderSize: 1,
 * };
 * const { bid, ask } = glftApproximateQuotes(model, 2);
 * // Long two orders: the ask is nearer to the mid than the bid.
 * bid.toFixed(3); // => "3.449"
 * ask.toFixed(3); // => "3.177"
 * ```
 */
export function glftApproximateQuotes(model: GlftModel, inventory: number): GlftDistances {
  const { halfSpread, skew, wantedInventory } = glftTerms(model);
  const shift = skew * (inventory - wantedInventory);
  return { bid: halfSpread + shift, ask: halfSpread - shift };
}

/**
 * The exact quotes, from the eigenvector of the least eigenvalue of the model's matrix over the
 * inventories from `-bound` to `bound` orders. A side that would exceed the bound is not quoted:
 * its distance is Infinity.
 * @example
 * ```ts
 * import { GlftExactQuotes } from "marketwright";
 *
 * const quotes = new GlftExactQuotes(
 *   {
 *     sigma: 0.3,
 *     drift: 0,
 *     fillsPerSecond: 0.9,
 *     fillDecay: 0.3,
 *     riskAversion: 0.01,
 *     fillRiskAversion: 0.01,
 *     orderSize: 1,
 *   },
 *   10,
 * );
 * quotes.at(0).bid.toFixed(3); // => "3.324"
 * // At the bound the bid is not quoted.
 * quotes.at(10).bid; // => Number.POSITIVE_INFINITY
 * ```
 */
export class GlftExactQuotes {
  readonly #bound: number;
  readonly #fillTerm: number;
  readonly #fillDecay: number;
  /** `v[n] / v[n + 1]` for n from -bound on. */
  readonly #ratios: readonly number[];

  /** @param bound largest inventory to either side, in orders: an integer above 0 */
  constructor(model: GlftModel, bound: number) {
    const { sigma, drift, riskAversion, fillDecay, orderSize } = model;
    this.#bound = bound;
    this.#fillTerm = glftFillTerm(model);
    const holding = (fillDecay * riskAversion * sigma * sigma * orderSize) / 2;
    const fills = effectiveFills(model);
    const size = 2 * bound + 1;
    if (DIAGONAL.length < size) DIAGONAL = new Float64Array(size);
    // Divided by the off-diagonal, which becomes -1.
    for (let held = -bound; held <= bound; held++)
      DIAGONAL[held + bound] = (holding * held * held - fillDecay * drift * held) / fills;
    this.#fillDecay = fillDecay;
    this.#ratios = groundStateRatios(DIAGONAL, size);
  }

  /**
   * @param orders the inventory in orders. Between two integers the quotes are interpolated; beyond
   * the bound it counts as the bound.
   */
  at(orders: number): GlftDistances {
    const held = Math.max(-this.#bound, Math.min(this.#bound, orders)) + this.#bound;
    const below = Math.floor(held);
    const share = held - below;
    const bid = this.#between(below, share);
    const ask = this.#between(below - 1, share);
    return {
      bid: bid === undefined ? Number.POSITIVE_INFINITY : this.#fillTerm + bid,
      ask: ask === undefined ? Number.POSITIVE_INFINITY : this.#fillTerm - ask,
    };
  }

  #between(at: number, share: number): number | undefined {
    const left = this.#step(at);
    if (left === undefined || share === 0) return left;
    const right = this.#step(at + 1);
    return right === undefined ? undefined : left + share * (right - left);
  }

  /** `ln(v[n] / v[n + 1]) / k`. Computed on demand, since few are ever needed. */
  #step(at: number): number | undefined {
    const ratio = this.#ratios[at];
    return ratio === undefined ? undefined : Math.log(ratio) / this.#fillDecay;
  }
}

/**
 * Buffer for the matrix's diagonal, reused by each computation. A typed array of this size is
 * allocated outside the heap, which is expensive.
 */
let DIAGONAL = new Float64Array(64);

/**
 * A reduced by the aversion to fill risk: `A (1 + xi Delta / k)^-(1 + k / (xi Delta))`, `A / e`
 * where xi is 0.
 */
function effectiveFills(model: GlftModel): number {
  const { fillsPerSecond, fillDecay: k, fillRiskAversion: xi, orderSize } = model;
  return fillsPerSecond * Math.exp(-(k + xi * orderSize) * glftFillTerm(model));
}

/**
 * `v[i] / v[i + 1]` of the positive eigenvector of a symmetric tridiagonal matrix with -1 beside
 * the diagonal. Each ratio is computed from the nearer end by the matrix's own recurrence. It is
 * therefore exact even where the vector itself is too small for a float.
 */
function groundStateRatios(diagonal: Float64Array, size: number): readonly number[] {
  let middle = 0;
  for (let at = 1; at < size; at++) if (diagonal[at] < diagonal[middle]) middle = at;
  const isMirrored = isSymmetric(diagonal, size, middle);
  const lowest = leastEigenvalue(diagonal, size, middle, isMirrored);
  const ratios = new Array<number>(size - 1);
  // From the left: v[0] = v[1] / (d[0] - l), and v[i] / v[i + 1] = 1 / (d[i] - l - v[i - 1] /
  // v[i]).
  let inner = 0;
  for (let at = 0; at < middle; at++) {
    const pivot = diagonal[at] - lowest - inner;
    inner = 1 / pivot;
    ratios[at] = inner;
    if (isMirrored) ratios[size - 2 - at] = pivot;
  }
  if (isMirrored) return ratios;
  inner = 0;
  for (let at = size - 1; at > middle; at--) {
    ratios[at - 1] = diagonal[at] - lowest - inner;
    inner = 1 / ratios[at - 1];
  }
  return ratios;
}

/**
 * The least eigenvalue `l`, to the last bits of a float. With both recurrences run to the smallest
 * diagonal entry, `v[m] = 1` there leaves one equation, `d[m] - l - v[m - 1] - v[m + 1] = 0`. It
 * falls ever more steeply up to its first pole, so a Newton step from the right of the root never
 * passes it. A step outside the known bracket of the root is replaced by halving.
 */
function leastEigenvalue(
  diagonal: Float64Array,
  size: number,
  middle: number,
  isMirrored: boolean,
): number {
  const least = diagonal[middle];
  // Upper and lower bounds: Gershgorin's discs, and the least diagonal entry as a Rayleigh
  // quotient.
  let low = least - 2;
  let high = least;
  let value = firstGuess(diagonal, size, middle);
  for (;;) {
    if (!(value > low && value < high)) {
      value = low + (high - low) / 2;
      // No float lies between the bounds.
      if (value <= low || value >= high) return low;
    }
    let left = 0;
    let leftSlope = 0;
    let isBelowPoles = true;
    for (let at = 0; at < middle && isBelowPoles; at++) {
      const pivot = diagonal[at] - value - left;
      isBelowPoles = pivot > 0;
      left = 1 / pivot;
      leftSlope = left * left * (1 + leftSlope);
    }
    let right = isMirrored ? left : 0;
    let rightSlope = isMirrored ? leftSlope : 0;
    for (let at = size - 1; at > middle && isBelowPoles && !isMirrored; at--) {
      const pivot = diagonal[at] - value - right;
      isBelowPoles = pivot > 0;
      right = 1 / pivot;
      rightSlope = right * right * (1 + rightSlope);
    }
    const rest = least - value - left - right;
    if (isBelowPoles && rest > 0) low = value;
    else high = value;
    if (!isBelowPoles) {
      value = Number.NaN;
      continue;
    }
    const step = rest / (1 + leftSlope + rightSlope);
    // Below the rounding error of the recurrences.
    if (Math.abs(step) <= Number.EPSILON * Math.max(1, Math.abs(value))) return value;
    value += step;
  }
}

/**
 * Returns true if the two sides of the middle mirror each other, as they do without a drift. One
 * recurrence then gives the other.
 */
function isSymmetric(diagonal: Float64Array, size: number, middle: number): boolean {
  const last = size - 1;
  if (2 * middle !== last) return false;
  for (let at = 0; at < middle; at++) if (diagonal[at] !== diagonal[last - at]) return false;
  return true;
}

/**
 * A first guess near the root for little and for much risk: of the oscillator that the matrix
 * discretises, and of the two neighbours of the smallest entry.
 */
function firstGuess(diagonal: Float64Array, size: number, middle: number): number {
  const least = diagonal[middle];
  const toLeft = middle === 0 ? Number.POSITIVE_INFINITY : diagonal[middle - 1] - least;
  const toRight = middle === size - 1 ? Number.POSITIVE_INFINITY : diagonal[middle + 1] - least;
  const rise = (toLeft + toRight) / 2;
  const oscillator = rise < 1 ? least - 2 + Math.sqrt(rise) - rise / 16 : Number.POSITIVE_INFINITY;
  const neighbours = least + rise / 2 - Math.sqrt((rise * rise) / 4 + 2);
  return Number.isFinite(rise) ? Math.min(oscillator, neighbours) : least - 1;
}
