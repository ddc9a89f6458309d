/**
 * The quotes of O. Guéant, C.-A. Lehalle and J. Fernandez-Tapia, "Dealing with the inventory risk", Mathematics and Financial
 * Economics 7, 2013, 477-507 (arXiv 1105.3115), far from the end of the horizon, with the order size and the risk term of a fill of
 * O. Guéant, "Optimal market making", Applied Mathematical Finance 24, 2017 (arXiv 1605.01862). They hold in any one unit of price
 * P, any one unit of amount U and seconds; nothing here rounds.
 */

/** What the market and the maker are like. */
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
  /** xi: aversion to the risk of not being filled, per P and U; gamma in the paper of 2013, 0 for a maker that does not mind. */
  readonly fillRiskAversion: number;
  /** Delta: amount of one order, in U, above 0. */
  readonly orderSize: number;
}

/** How far the quotes are from the mid, in P. */
export interface GlftDistances {
  readonly bid: number;
  readonly ask: number;
}

/** What the closed form is made of. */
export interface GlftTerms {
  /** Half of the spread at any inventory, in P. */
  readonly halfSpread: number;
  /** How far both quotes move for one U held, in P: `sigma c2`. */
  readonly skew: number;
  /** The inventory at which the quotes are symmetric, in U: `mu / (gamma sigma^2)`; 0 without drift. */
  readonly wantedInventory: number;
}

/** What a quote keeps for itself whatever the inventory: `ln(1 + xi Delta / k) / (xi Delta)`, or `1 / k` where xi is 0. In P. */
export function glftFillTerm({ fillDecay: k, fillRiskAversion: xi, orderSize }: GlftModel): number {
  const risk = xi * orderSize;
  return risk === 0 ? 1 / k : Math.log1p(risk / k) / risk;
}

/**
 * The closed form: (4.6) and (4.7) of the paper of 2017, with section 5's drift of that of 2013. Good for little inventory and little
 * volatility. A drift without volatility has no finite answer here: it is left out then.
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

/** The closed form's quotes at an inventory, in U. */
export function glftApproximateQuotes(model: GlftModel, inventory: number): GlftDistances {
  const { halfSpread, skew, wantedInventory } = glftTerms(model);
  const shift = skew * (inventory - wantedInventory);
  return { bid: halfSpread + shift, ask: halfSpread - shift };
}

/**
 * The exact quotes: those of the eigenvector of least eigenvalue of the model's matrix over the inventories from `-bound` to `bound`
 * orders. A side that would leave them is not quoted: its distance is Infinity.
 */
export class GlftExactQuotes {
  readonly #bound: number;
  readonly #fillTerm: number;
  /** `ln(v[n] / v[n + 1]) / k` for n from -bound on. */
  readonly #steps: Float64Array;

  /** @param bound inventories counted, in orders to either side: a whole number above 0. */
  constructor(model: GlftModel, bound: number) {
    const { sigma, drift, riskAversion, fillDecay, orderSize } = model;
    this.#bound = bound;
    this.#fillTerm = glftFillTerm(model);
    const holding = (fillDecay * riskAversion * sigma * sigma * orderSize) / 2;
    const fills = effectiveFills(model);
    // Divided by the off-diagonal, which becomes -1.
    const diagonal = Float64Array.from({ length: 2 * bound + 1 }, (_, at) => {
      const held = at - bound;
      return (holding * held * held - fillDecay * drift * held) / fills;
    });
    this.#steps = groundStateRatios(diagonal).map((ratio) => Math.log(ratio) / fillDecay);
  }

  /** @param orders the inventory in orders; between two whole numbers the quotes are interpolated, beyond the bound it counts as the bound. */
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
    const left = this.#steps[at];
    if (left === undefined || share === 0) return left;
    const right = this.#steps[at + 1];
    return right === undefined ? undefined : left + share * (right - left);
  }
}

/** A without the fills that the aversion to them costs: `A (1 + xi Delta / k)^-(1 + k / (xi Delta))`, `A / e` where xi is 0. */
function effectiveFills(model: GlftModel): number {
  const { fillsPerSecond, fillDecay: k, fillRiskAversion: xi, orderSize } = model;
  return fillsPerSecond * Math.exp(-(k + xi * orderSize) * glftFillTerm(model));
}

/**
 * `v[i] / v[i + 1]` of the positive eigenvector of a symmetric tridiagonal matrix with -1 beside the diagonal. Each ratio comes from
 * the nearer end by the matrix's own recurrence, so that it is exact also where the vector itself is too small for a float.
 */
function groundStateRatios(diagonal: Float64Array): Float64Array {
  const lowest = leastEigenvalue(diagonal);
  const size = diagonal.length;
  const middle = diagonal.indexOf(Math.min(...diagonal));
  const ratios = new Float64Array(size - 1);
  // From the left: v[0] = v[1] / (d[0] - l), and v[i] / v[i + 1] = 1 / (d[i] - l - v[i - 1] / v[i]).
  for (let at = 0; at < middle; at++) ratios[at] = 1 / (diagonal[at] - lowest - (at === 0 ? 0 : ratios[at - 1]));
  for (let at = size - 1; at > middle; at--) {
    const beyond = at === size - 1 ? 0 : 1 / ratios[at];
    ratios[at - 1] = diagonal[at] - lowest - beyond;
  }
  return ratios;
}

/** By bisection on the number of negative pivots (Sturm), to the last bit that a float can tell apart. */
function leastEigenvalue(diagonal: Float64Array): number {
  const least = Math.min(...diagonal);
  // Gershgorin's discs, and the least diagonal entry is a Rayleigh quotient.
  let low = least - 2;
  let high = least;
  for (;;) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return low;
    if (isBelowSpectrum(diagonal, middle)) low = middle;
    else high = middle;
  }
}

function isBelowSpectrum(diagonal: Float64Array, value: number): boolean {
  let pivot = Number.POSITIVE_INFINITY;
  for (const entry of diagonal) {
    pivot = entry - value - 1 / pivot;
    if (pivot <= 0) return false;
  }
  return true;
}
