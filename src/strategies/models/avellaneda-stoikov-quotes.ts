/**
 * The formulas of M. Avellaneda and S. Stoikov, "High-frequency trading in a limit order book",
 * Quantitative Finance 8(3), 2008, 217-224: (a) as in the paper, and (b) in the normalised form of
 * Hummingbot's implementation. They hold in any one unit of price P, any one unit of inventory and
 * seconds; nothing here rounds.
 */

/**
 * `paper`: sigma squared, inventory in units of one order. `normalised`: sigma unsquared, inventory
 * as a share of its limit.
 */
export type AvellanedaStoikovVariant = "paper" | "normalised";

/** The inputs of the quotes. */
export interface AvellanedaStoikovInputs {
  readonly variant: AvellanedaStoikovVariant;
  /** The mid, in P. */
  readonly mid: number;
  /** Signed. `paper`: in orders. `normalised`: as a share of the limit, from -1 to 1. */
  readonly inventory: number;
  /**
   * gamma, above 0. `paper`: per P and order. `normalised`: as used in the formulas (per
   * second^(1/2) in the inventory term, per P in the spread).
   */
  readonly riskAversion: number;
  /** sigma: standard deviation of the mid, in P per square root of a second. */
  readonly sigma: number;
  /** T - t. `paper`: in seconds. `normalised`: as a share of the horizon, from 0 to 1. */
  readonly timeLeft: number;
  /** k of the fill intensity `A exp(-k delta)`, per P, above 0. */
  readonly fillDecay: number;
}

/** The quotes of the model and their terms, all in P. */
export interface AvellanedaStoikovQuotes {
  /** The price at which the maker is indifferent to one more fill on either side, in P. */
  readonly reservation: number;
  /** Price of the bid, in P. */
  readonly bid: number;
  /** Price of the ask, in P. */
  readonly ask: number;
  /** Half of the total spread, in P. */
  readonly halfSpread: number;
  /** The part of half the spread for the risk of holding: `gamma sigma^2 (T - t) / 2`. */
  readonly riskHalfSpread: number;
  /** The part of half the spread for the chance of a fill: `ln(1 + gamma / k) / gamma`. */
  readonly fillHalfSpread: number;
}

/**
 * `paper`: reservation `s - q gamma sigma^2 (T - t)`, total spread
 * `gamma sigma^2 (T - t) + (2 / gamma) ln(1 + gamma / k)`.
 *
 * `normalised`: the same with sigma in place of sigma^2. The other constant of the fill intensity,
 * A, is not used: the paper's expansion to first order in inventory drops it.
 * @example
 * ```ts
 * import { avellanedaStoikovQuotes } from "marketwright";
 *
 * const { reservation, halfSpread } = avellanedaStoikovQuotes({
 *   variant: "paper",
 *   mid: 100,
 *   inventory: 1,
 *   riskAversion: 0.1,
 *   sigma: 2,
 *   timeLeft: 1,
 *   fillDecay: 1.5,
 * });
 * reservation; // => 99.6
 * halfSpread.toFixed(3); // => "0.845"
 * ```
 */
export function avellanedaStoikovQuotes(inputs: AvellanedaStoikovInputs): AvellanedaStoikovQuotes {
  const { variant, mid, inventory, riskAversion, sigma, timeLeft, fillDecay } = inputs;
  const risk = riskAversion * (variant === "paper" ? sigma * sigma : sigma) * timeLeft;
  const reservation = mid - inventory * risk;
  const riskHalfSpread = risk / 2;
  const fillHalfSpread = Math.log1p(riskAversion / fillDecay) / riskAversion;
  const halfSpread = riskHalfSpread + fillHalfSpread;
  return {
    reservation,
    bid: reservation - halfSpread,
    ask: reservation + halfSpread,
    halfSpread,
    riskHalfSpread,
    fillHalfSpread,
  };
}
