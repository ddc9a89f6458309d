import { ConfigError } from "../../core/errors.js";

/**
 * The inputs of an optimal liquidation: prices in one unit (quote per base, for example), sizes in
 * one, time in one.
 */
export interface LiquidationProblem {
  /** Size to sell, at least 0. */
  readonly size: number;
  /** Duration of the sale, above 0. */
  readonly horizon: number;
  /** Number of equal intervals of the horizon: an integer from 1. */
  readonly intervals: number;
  /**
   * Lambda: expected cost that one unit of its variance is worth, per price times size. 0 or above.
   */
  readonly riskAversion: number;
  /** Volatility of the price per square root of time. 0 or above. */
  readonly sigma: number;
  /** Gamma: permanent impact, price per size sold. 0 or above. */
  readonly permanentImpact: number;
  /**
   * Eta: temporary impact, price per rate of selling. Above half of `permanentImpact` times the
   * interval.
   */
  readonly temporaryImpact: number;
  /** Epsilon: fixed cost, price per size: half of the spread and the fee. 0 or above. */
  readonly fixedCost: number;
}

/** The trajectory that costs least in expectation plus lambda times variance. */
export interface LiquidationTrajectory {
  /** Rate of selling, per time. 0 sells in equal parts. */
  readonly kappa: number;
  /** Size held at the start and at the end of each interval: from `size` down to 0. */
  readonly holdings: readonly number[];
  /** Expected cost against the price at the start, price times size. */
  readonly expectedCost: number;
  /** Variance of that cost. */
  readonly costVariance: number;
}

/**
 * The optimal trajectory of Almgren and Chriss (Optimal execution of portfolio transactions,
 * Journal of Risk 3(2), 2000, equations 15 to 20): `x_j = X sinh(kappa (T - t_j)) / sinh(kappa T)`,
 * `2 (cosh(kappa tau) - 1) / tau^2 = lambda sigma^2 / (eta - gamma tau / 2)`.
 * @throws ConfigError naming the field that is out of range
 */
export function optimalLiquidation(problem: LiquidationProblem): LiquidationTrajectory {
  checkProblem(problem);
  const {
    size,
    horizon,
    intervals,
    riskAversion,
    sigma,
    permanentImpact,
    temporaryImpact,
    fixedCost,
  } = problem;
  const tau = horizon / intervals;
  const eta = temporaryImpact - (permanentImpact * tau) / 2;
  const squared = (riskAversion * sigma * sigma) / eta;
  const kappa = Math.acosh((squared * tau * tau) / 2 + 1) / tau;
  const holdings = Array.from({ length: intervals + 1 }, (_, j) =>
    j === intervals ? 0 : size * heldFraction(kappa, horizon, j * tau),
  );
  let sold = 0;
  let squaresSold = 0;
  let squaresHeld = 0;
  for (let j = 1; j <= intervals; j++) {
    const part = holdings[j - 1] - holdings[j];
    sold += Math.abs(part);
    squaresSold += part * part;
    squaresHeld += holdings[j] * holdings[j];
  }
  return {
    kappa,
    holdings,
    expectedCost:
      (permanentImpact * size * size) / 2 + fixedCost * sold + (eta / tau) * squaresSold,
    costVariance: sigma * sigma * tau * squaresHeld,
  };
}

/**
 * sinh(kappa (T - t)) / sinh(kappa T), written so that a large kappa does not overflow. For a small
 * kappa it is the limit, equal parts.
 */
function heldFraction(kappa: number, horizon: number, time: number): number {
  if (kappa * horizon < 1e-6) return 1 - time / horizon;
  return (
    (Math.exp(-kappa * time) * -Math.expm1(-2 * kappa * (horizon - time))) /
    -Math.expm1(-2 * kappa * horizon)
  );
}

function checkProblem(problem: LiquidationProblem): void {
  const { horizon, intervals, permanentImpact, temporaryImpact } = problem;
  for (const field of ["size", "riskAversion", "sigma", "permanentImpact", "fixedCost"] as const) {
    if (!(problem[field] >= 0 && problem[field] < Number.POSITIVE_INFINITY))
      refuse(field, problem[field], "a number of 0 or above");
  }
  if (!(horizon > 0 && horizon < Number.POSITIVE_INFINITY))
    refuse("horizon", horizon, "a duration above 0");
  if (!Number.isSafeInteger(intervals) || intervals < 1)
    refuse("intervals", intervals, "a whole number from 1");
  const least = (permanentImpact * horizon) / intervals / 2;
  if (!(temporaryImpact > least && temporaryImpact < Number.POSITIVE_INFINITY)) {
    refuse(
      "temporaryImpact",
      temporaryImpact,
      `a number above ${least}, half of the permanent impact of an interval`,
    );
  }
}

function refuse(field: string, value: number, expected: string): never {
  throw new ConfigError("no such liquidation can be planned", { field, value, expected });
}
