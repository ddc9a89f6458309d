import { BlockedMean } from "../../../account/markouts/blocked-mean.js";
import { BLOCK_HORIZONS } from "../../../account/markouts/markouts.js";
import { type ConfidenceInterval, meanInterval, shareInterval } from "./confidence-interval.js";

/**
 * Fewest independent moves for figures. The interval of a hit rate is then ten points either way: a
 * wider one cannot tell 60 % from chance. There are at least twenty blocks of time, so that the
 * intervals hold what they say.
 */
export const LEAST_INDEPENDENT_MOVES = 100;

/** A smaller prediction is the rounding of its arithmetic, and has no direction. */
const SMALLEST_MOVE_TICKS = 1e-6;

/** Figures of a signal at one horizon. */
interface SignalFigures {
  /**
   * Slope of the realised on the predicted move, through the origin: 1 for a calibrated signal, 0
   * for a worthless one.
   */
  readonly slope: ConfidenceInterval;
  /** Correlation of predicted and realised moves, about zero. */
  readonly correlation: number;
  /** Share of the moves in the predicted direction. */
  readonly hitRate: ConfidenceInterval;
  /** Mean size of the predicted moves, in basis points of the mid. */
  readonly predictedBps: number;
  /** Mean realised move in the predicted direction, in basis points of the mid. */
  readonly realisedBps: ConfidenceInterval;
}

/** The result of a signal at one horizon. */
export interface SignalHorizonResult {
  /** Predictions whose horizon ended before the run. */
  readonly predictions: number;
  /** Windows of the horizon that do not overlap, in which the mid moved. */
  readonly independentMoves: number;
  /** Undefined below {@link LEAST_INDEPENDENT_MOVES}. */
  readonly figures: SignalFigures | undefined;
}

/**
 * Predicted and realised moves of a market's mid at one horizon. Moves after neighbouring
 * predictions overlap, so all intervals are over blocks of time. Constant memory.
 */
export class SignalHorizon {
  readonly #horizonUs: number;
  readonly #slope: BlockedMean;
  readonly #hits: BlockedMean;
  readonly #realisedBps: BlockedMean;
  #predictions = 0;
  #directed = 0;
  #predictedBps = 0;
  #products = 0;
  #predictedSquares = 0;
  #realisedSquares = 0;
  #independentMoves = 0;
  /** End of the last window that counts as an independent move. */
  #movedUntilUs = Number.NEGATIVE_INFINITY;

  constructor(horizonUs: number) {
    this.#horizonUs = horizonUs;
    const blockUs = BLOCK_HORIZONS * horizonUs;
    this.#slope = new BlockedMean(blockUs);
    this.#hits = new BlockedMean(blockUs);
    this.#realisedBps = new BlockedMean(blockUs);
  }

  /**
   * Adds a prediction, in order of time.
   * @param predictedTicks move that was predicted, from the mid of the prediction
   * @param realisedTicks move of the mid one horizon later
   * @param midTicks the mid of the prediction
   */
  add(atUs: number, predictedTicks: number, realisedTicks: number, midTicks: number): void {
    this.#predictions += 1;
    this.#realisedSquares += realisedTicks * realisedTicks;
    if (Math.abs(predictedTicks) < SMALLEST_MOVE_TICKS) return;
    const squared = predictedTicks * predictedTicks;
    const forward = Math.sign(predictedTicks) * realisedTicks;
    const bpsPerTick = 10_000 / midTicks;
    this.#directed += 1;
    this.#predictedBps += Math.abs(predictedTicks) * bpsPerTick;
    this.#products += predictedTicks * realisedTicks;
    this.#predictedSquares += squared;
    // A mean of ratios by these weights is the slope of least squares through the origin.
    this.#slope.add(atUs, realisedTicks / predictedTicks, squared);
    this.#realisedBps.add(atUs, forward * bpsPerTick, 1);
    if (realisedTicks === 0) return;
    this.#hits.add(atUs, forward > 0 ? 1 : 0, 1);
    if (atUs < this.#movedUntilUs) return;
    this.#independentMoves += 1;
    this.#movedUntilUs = atUs + this.#horizonUs;
  }

  result(): SignalHorizonResult {
    const [predictions, independentMoves] = [this.#predictions, this.#independentMoves];
    const slope = meanInterval(this.#slope.result());
    const hitRate = shareInterval(this.#hits.result(), independentMoves);
    const realisedBps = meanInterval(this.#realisedBps.result());
    if (
      independentMoves < LEAST_INDEPENDENT_MOVES ||
      slope === undefined ||
      hitRate === undefined ||
      realisedBps === undefined
    )
      return { predictions, independentMoves, figures: undefined };
    const squares = this.#predictedSquares * this.#realisedSquares;
    const correlation = this.#products / Math.sqrt(squares);
    const predictedBps = this.#predictedBps / this.#directed;
    return {
      predictions,
      independentMoves,
      figures: { slope, correlation, hitRate, predictedBps, realisedBps },
    };
  }
}
