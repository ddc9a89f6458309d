import { HorizonQueue } from "../../../account/markouts/horizon-queue.js";
import { SignalHorizon, type SignalHorizonResult } from "./signal-horizon.js";

/** Horizons of a signal, in seconds after a prediction: markouts have the same. */
export const SIGNAL_SECONDS = [0.1, 0.3, 1, 3, 10] as const;

interface Prediction {
  readonly atUs: number;
  readonly moveTicks: number;
  /** Best bid plus best ask when it was made; NaN if that mid is not known. */
  midHalfTicks: number;
}

const SIGNAL_US = SIGNAL_SECONDS.map((seconds) => seconds * 1e6);

/**
 * Predictions of one market's mid against what it did then. Every prediction is made before the
 * move that it is compared with. Moves are those of the exchange's mid from the instant of the
 * prediction on: a move before the bot could know of it does not count.
 */
export class SignalRecord {
  readonly #horizons = SIGNAL_US.map((us) => new SignalHorizon(us));
  /** The first horizon is the instant of the prediction itself. */
  readonly #queue = new HorizonQueue<Prediction>([0, ...SIGNAL_US], (prediction, index, mid) =>
    this.#known(prediction, index, mid),
  );
  #hasPredictions = false;

  /** The earliest instant at which a prediction needs a mid. */
  get nextDueUs(): number {
    return this.#queue.nextDueUs;
  }

  /**
   * Adds a prediction, in order of time.
   * @param moveTicks predicted move of the mid
   */
  predict(atUs: number, moveTicks: number): void {
    this.#hasPredictions = true;
    this.#queue.add({ atUs, moveTicks, midHalfTicks: Number.NaN });
  }

  /**
   * Sets the mid for all the time before `untilUs`.
   * @param midHalfTicks best bid plus best ask; NaN if it is not known
   */
  settle(untilUs: number, midHalfTicks: number): void {
    this.#queue.settle(untilUs, midHalfTicks);
  }

  /** By {@link SIGNAL_SECONDS}; undefined if nothing was predicted. */
  result(): readonly SignalHorizonResult[] | undefined {
    return this.#hasPredictions ? this.#horizons.map((horizon) => horizon.result()) : undefined;
  }

  #known(prediction: Prediction, index: number, midHalfTicks: number): void {
    if (index === 0) {
      prediction.midHalfTicks = midHalfTicks;
      return;
    }
    const { atUs, moveTicks, midHalfTicks: before } = prediction;
    if (Number.isNaN(before) || Number.isNaN(midHalfTicks)) return;
    const horizon = this.#horizons[index - 1] as SignalHorizon;
    horizon.add(atUs, moveTicks, (midHalfTicks - before) / 2, before / 2);
  }
}
