import { SignalRecord } from "#backtest/signal-record.js";
import { seededRandom } from "#core/seeded-random.js";

/** A synthetic market with a signal of its mid. */
export interface SyntheticSignal {
  readonly seed: string;
  readonly seconds: number;
  /** Share of the predicted move that the mid makes: 1 follows the signal, 0 ignores it. */
  readonly follows: number;
  /** Times that each prediction is made. */
  readonly repeats?: number;
}

const STEP_US = 100_000;
const STEPS_IN_SECOND = 10;
const MID_HALF_TICKS = 200_000;

/**
 * A mid that moves each tenth of a second, by a random walk and by the last prediction. Each tenth
 * predicts a tick up or down for the next one; the direction stays for about a second, so that
 * neighbouring predictions and their moves are alike.
 */
export function recordSynthetic({
  seed,
  seconds,
  follows,
  repeats = 1,
}: SyntheticSignal): SignalRecord {
  const random = seededRandom(seed);
  const record = new SignalRecord();
  let midHalfTicks = MID_HALF_TICKS;
  let predicted = 0;
  const settle = (atUs: number): void => {
    if (atUs > record.nextDueUs) record.settle(atUs, midHalfTicks);
  };
  for (let step = 1; step <= seconds * STEPS_IN_SECOND; step += 1) {
    const atUs = step * STEP_US;
    settle(atUs);
    midHalfTicks += 2 * Math.round(4 * (random.uniform() + random.uniform() - 1));
    midHalfTicks += 2 * follows * predicted;
    if (random.uniform() < 0.1 || predicted === 0) predicted = random.uniform() < 0.5 ? -1 : 1;
    for (let time = 0; time < repeats; time += 1) record.predict(atUs, predicted);
  }
  settle(seconds * 1e6 + 1);
  return record;
}
