import type { Ms, Ticks } from "../../core/units.js";
import type { DecisionCause } from "../../market/view.js";

/** The fill intensity `A exp(-k distance)`. */
export interface FillIntensity {
  /** A: fills per second at distance 0. */
  readonly fillsPerSecond: number;
  /** k: per tick of distance from the mid. */
  readonly fillDecayPerTick: number;
}

/** The inputs of an estimator of fill intensity. A `MarketView` has them. */
export interface TradedView {
  readonly timeMs: Ms;
  readonly cause: DecisionCause;
  /** Fractional: half ticks. */
  readonly midTicks: number;
  readonly tradedHighTicks: Ticks;
  readonly tradedLowTicks: Ticks;
}

/** Sampling, weighting and fitting of an estimator. */
export interface FillIntensityWindow {
  /**
   * `rolling`: cells that began within `windowMs` have equal weight. `ewma`: the weight of a cell
   * has fallen to 1/e after `windowMs`.
   */
  readonly estimator: "rolling" | "ewma";
  readonly windowMs: Ms;
  /** Minimum length of a cell, which ends with the first view after that time. */
  readonly cellMs: Ms;
  /**
   * Number of distances of the fit: 0.5, 1.5 and so on. They cover the near range, since one
   * exponential does not fit the far range too.
   */
  readonly depthTicks: number;
  /** Minimum time between two fits. */
  readonly refitMs: Ms;
  /**
   * Minimum number of cells, by weight, with a trade beyond the first distance. Below it there is
   * no estimate.
   */
  readonly minCells: number;
}

/** Distances with arrivals that a fit needs: a line through two points has no error. */
const MIN_DISTANCES = 3;
/**
 * Minimum weight of arrivals at a distance: that of one cell at the window's end. The logarithm of
 * a smaller weight would bend the line.
 */
const MIN_WEIGHT = Math.exp(-1);

/**
 * An online estimate of A and k. Time is cut into cells. Each cell records the distance of its
 * deepest trade from the mid at the start of the cell. Up to that distance, a quote placed at the
 * start would have been reached, on either side. `lambda(d)` is the number of cells deeper than d
 * divided by their seconds. A and k are the least squares of `ln lambda(d)` on d.
 *
 * It is the method of hftbacktest's example of the model of Guéant, Lehalle and Fernandez-Tapia,
 * which uses cells of 100 ms and fits every 5 s.
 * @example
 * ```ts
 * import { FillIntensityEstimator } from "marketwright";
 *
 * const estimator = new FillIntensityEstimator({
 *   estimator: "rolling",
 *   windowMs: 600_000,
 *   cellMs: 100,
 *   depthTicks: 5,
 *   refitMs: 5000,
 *   minCells: 10,
 * });
 * // Each tick further from the mid is reached half as often, so k is ln 2.
 * for (let cell = 0; cell < 1000; cell += 1) {
 *   const depthTicks = [1, 2, 4, 8, 16].filter((every) => cell % every === 0).length;
 *   estimator.observe({
 *     timeMs: cell * 100,
 *     cause: "timer",
 *     midTicks: 10_000,
 *     tradedHighTicks: 10_000 + depthTicks,
 *     tradedLowTicks: Number.NaN,
 *   });
 * }
 * estimator.estimate?.fillDecayPerTick.toFixed(2); // => "0.69"
 * ```
 */
export class FillIntensityEstimator {
  readonly #window: FillIntensityWindow;
  readonly #cells: Cells;
  #beganMs: Ms = Number.NaN;
  #midTicks = Number.NaN;
  #highTicks = Number.NEGATIVE_INFINITY;
  #lowTicks = Number.POSITIVE_INFINITY;
  #fittedMs: Ms = Number.NEGATIVE_INFINITY;
  #estimate: FillIntensity | undefined;

  constructor(window: FillIntensityWindow) {
    this.#window = window;
    this.#cells = window.estimator === "ewma" ? new FadingCells(window) : new RollingCells(window);
  }

  /**
   * The newest fit. Undefined with too few cells, or if trades do not become rarer with distance.
   */
  get estimate(): FillIntensity | undefined {
    return this.#estimate;
  }

  /** Observes a view. Called once for each view, in order. */
  observe(view: TradedView): void {
    const { timeMs } = view;
    const sinceMs = timeMs - this.#beganMs;
    // Trades from before a restart of the market, or on a clock that then stepped back, belong to
    // no cell.
    if (view.cause === "start" || !(sinceMs >= 0)) {
      if (sinceMs < 0) this.#fittedMs = Number.NEGATIVE_INFINITY;
      this.#begin(view);
      return;
    }
    // NaN, for no trade, fails both comparisons.
    if (view.tradedHighTicks > this.#highTicks) this.#highTicks = view.tradedHighTicks;
    if (view.tradedLowTicks < this.#lowTicks) this.#lowTicks = view.tradedLowTicks;
    if (sinceMs < this.#window.cellMs || sinceMs === 0) return;
    this.#cells.add(
      Math.max(this.#highTicks - this.#midTicks, this.#midTicks - this.#lowTicks),
      timeMs,
      sinceMs,
    );
    this.#begin(view);
    if (timeMs - this.#fittedMs < this.#window.refitMs) return;
    const { deeper, spanMs } = this.#cells;
    if (deeper[0] < this.#window.minCells) {
      this.#estimate = undefined;
      return;
    }
    this.#fittedMs = timeMs;
    this.#estimate = fitIntensity(deeper, spanMs / 1000);
  }

  #begin({ timeMs, midTicks }: TradedView): void {
    this.#beganMs = timeMs;
    this.#midTicks = midTicks;
    this.#highTicks = Number.NEGATIVE_INFINITY;
    this.#lowTicks = Number.POSITIVE_INFINITY;
  }
}

/**
 * Least squares of `ln(deeper[i] / seconds)` on the distances `i + 0.5`, without distances that
 * have no arrival. Undefined if fewer than three remain, or if the intensity does not fall with
 * distance.
 */
export function fitIntensity(
  deeper: ArrayLike<number>,
  seconds: number,
): FillIntensity | undefined {
  let [count, sumX, sumY, sumXX, sumXY] = [0, 0, 0, 0, 0];
  for (let at = 0; at < deeper.length && deeper[at] >= MIN_WEIGHT; at++) {
    const x = at + 0.5;
    // Relative to the nearest: if all are equal, each is 0 and so is the slope. Rounding would
    // otherwise make it rise or fall slightly.
    const y = Math.log(deeper[at] / deeper[0]);
    count++;
    sumX += x;
    sumY += y;
    sumXX += x * x;
    sumXY += x * y;
  }
  if (count < MIN_DISTANCES) return undefined;
  const slope = (count * sumXY - sumX * sumY) / (count * sumXX - sumX * sumX);
  if (!(slope < 0)) return undefined;
  return {
    fillsPerSecond: (deeper[0] / seconds) * Math.exp((sumY - slope * sumX) / count),
    fillDecayPerTick: -slope,
  };
}

/** Cells counted by the depth of their trades. */
interface Cells {
  /** At index i, the cells, by weight, with a trade deeper than `i + 0.5` ticks. */
  readonly deeper: ArrayLike<number>;
  /** Total length of the cells, by weight. */
  readonly spanMs: number;
  add(depthTicks: number, endMs: Ms, spanMs: Ms): void;
}

/** Number of the distances 0.5, 1.5 and so on that a depth exceeds. */
function distancesBelow(depthTicks: number, distances: number): number {
  return Math.max(0, Math.min(distances, Math.ceil(depthTicks - 0.5)));
}

/** Cells with weights that decay over time. */
class FadingCells implements Cells {
  readonly deeper: Float64Array;
  readonly #windowMs: Ms;
  spanMs = 0;

  constructor({ depthTicks, windowMs }: FillIntensityWindow) {
    this.deeper = new Float64Array(depthTicks);
    this.#windowMs = windowMs;
  }

  add(depthTicks: number, _endMs: Ms, spanMs: Ms): void {
    const kept = Math.exp(-spanMs / this.#windowMs);
    const below = distancesBelow(depthTicks, this.deeper.length);
    for (let at = 0; at < this.deeper.length; at++)
      this.deeper[at] = this.deeper[at] * kept + (at < below ? 1 : 0);
    this.spanMs = this.spanMs * kept + spanMs;
  }
}

/** The cells that ended within the last `windowMs`, in a ring with room for the maximum number. */
class RollingCells implements Cells {
  readonly deeper: Float64Array;
  readonly #windowMs: Ms;
  readonly #ends: Float64Array;
  readonly #spans: Float64Array;
  readonly #below: Uint32Array;
  #first = 0;
  #held = 0;
  spanMs = 0;

  constructor({ depthTicks, windowMs, cellMs }: FillIntensityWindow) {
    this.deeper = new Float64Array(depthTicks);
    this.#windowMs = windowMs;
    const most = Math.ceil(windowMs / cellMs) + 1;
    this.#ends = new Float64Array(most);
    this.#spans = new Float64Array(most);
    this.#below = new Uint32Array(most);
  }

  add(depthTicks: number, endMs: Ms, spanMs: Ms): void {
    while (
      this.#held > 0 &&
      (this.#ends[this.#first] <= endMs - this.#windowMs || this.#held === this.#ends.length)
    )
      this.#drop();
    const at = (this.#first + this.#held) % this.#ends.length;
    this.#ends[at] = endMs;
    this.#spans[at] = spanMs;
    this.#below[at] = distancesBelow(depthTicks, this.deeper.length);
    this.#held++;
    this.#count(at, 1);
  }

  #drop(): void {
    this.#count(this.#first, -1);
    this.#first = (this.#first + 1) % this.#ends.length;
    this.#held--;
  }

  /** Integers only, so that subtracting a cell leaves no remainder. */
  #count(at: number, by: 1 | -1): void {
    for (let distance = 0; distance < this.#below[at]; distance++) this.deeper[distance] += by;
    this.spanMs += by * this.#spans[at];
  }
}
