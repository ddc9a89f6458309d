import type { Ms, Ticks } from "../../core/units.js";
import type { DecisionCause } from "../../market/view.js";

/** The fill intensity `A exp(-k distance)`. */
export interface FillIntensity {
  /** A: fills per second at distance 0. */
  readonly fillsPerSecond: number;
  /** k: per tick of distance from the mid. */
  readonly fillDecayPerTick: number;
}

/** The fields of a `MarketView` that an estimator of fill intensity reads. */
export interface TradedView {
  readonly timeMs: Ms;
  readonly cause: DecisionCause;
  /** Fractional: half ticks. */
  readonly midTicks: number;
  readonly tradedHighTicks: Ticks;
  readonly tradedLowTicks: Ticks;
}

/** Settings by which an estimator samples, forgets and fits. */
export interface FillIntensityWindow {
  /** `rolling`: cells that began within `windowMs` count alike. `ewma`: the weight of a cell has fallen to 1/e after `windowMs`. */
  readonly estimator: "rolling" | "ewma";
  readonly windowMs: Ms;
  /** A cell ends with the first view that comes so long after the one that it began with. */
  readonly cellMs: Ms;
  /** The fit's distances are 0.5, 1.5 ... of them, this many: the near range, since one exponential does not fit the far one too. */
  readonly depthTicks: number;
  /** At least so long from fit to fit. */
  readonly refitMs: Ms;
  /** No estimate before so many cells, by weight, had a trade beyond the first distance. */
  readonly minCells: number;
}

/** Distances with arrivals that a fit needs: a line through two points has no error to speak of. */
const MIN_DISTANCES = 3;
/** What has faded below the weight of one cell at the window's end is no arrival any more: its logarithm would bend the line. */
const MIN_WEIGHT = Math.exp(-1);

/**
 * An online estimate of A and k. Time is cut into cells; of each counts how far its deepest trade was from the mid at its beginning,
 * that is the distance up to which a quote put up then would have been reached, on either side. `lambda(d)` is the number of cells
 * deeper than d over the seconds in them; A and k are the least squares of `ln lambda(d)` on d. It is the method of hftbacktest's
 * example of Guéant, Lehalle and Fernandez-Tapia's model, which takes cells of 100 ms and fits every 5 s.
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

  /** The newest fit; undefined while there are too few cells, and where trades do not become rarer with distance. */
  get estimate(): FillIntensity | undefined {
    return this.#estimate;
  }

  /** Shows it a view: each once, in their order. */
  observe(view: TradedView): void {
    const { timeMs } = view;
    const sinceMs = timeMs - this.#beganMs;
    // What traded while the market was lost, or on a clock that then stepped back, belongs to no cell.
    if (view.cause === "start" || !(sinceMs >= 0)) {
      if (sinceMs < 0) this.#fittedMs = Number.NEGATIVE_INFINITY;
      this.#begin(view);
      return;
    }
    // NaN, for no trade, is neither above nor below.
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
 * Least squares of `ln(deeper[i] / seconds)` on the distances `i + 0.5`, those without an arrival left out. Undefined where fewer than
 * three are left, or the intensity does not fall with distance.
 */
export function fitIntensity(
  deeper: ArrayLike<number>,
  seconds: number,
): FillIntensity | undefined {
  let [count, sumX, sumY, sumXX, sumXY] = [0, 0, 0, 0, 0];
  for (let at = 0; at < deeper.length && deeper[at] >= MIN_WEIGHT; at++) {
    const x = at + 0.5;
    // Against the nearest: where all are alike each is 0 and so is the slope, which rounding would otherwise let fall, or rise, by next to nothing.
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

/** Cells counted by how deep trades went in them. */
interface Cells {
  /** At i the cells, by weight, with a trade deeper than `i + 0.5` ticks. */
  readonly deeper: ArrayLike<number>;
  /** How long all of them are, by weight. */
  readonly spanMs: number;
  add(depthTicks: number, endMs: Ms, spanMs: Ms): void;
}

/** How many of the distances 0.5, 1.5 ... a depth is beyond. */
function distancesBelow(depthTicks: number, distances: number): number {
  return Math.max(0, Math.min(distances, Math.ceil(depthTicks - 0.5)));
}

/** Cells whose weights fade with time. */
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

/** The cells that ended within the last `windowMs`, in a ring that holds as many as may have. */
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

  /** Whole numbers alone, so that what is taken away again leaves nothing behind. */
  #count(at: number, by: 1 | -1): void {
    for (let distance = 0; distance < this.#below[at]; distance++) this.deeper[distance] += by;
    this.spanMs += by * this.#spans[at];
  }
}
