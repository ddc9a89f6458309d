import type { QuoteTimes, SideTimes } from "../../../account/quoting/quote-clock.js";
import type { Bucketed } from "./time-grid.js";

/** The quotes of an interval of time. */
export interface QuotedStretch {
  /** Shares of the time with an order of ours: on both sides, and on each. */
  readonly both: number;
  readonly bid: number;
  readonly ask: number;
  /**
   * Mean distances behind the touch of the others in ticks; NaN where our order or theirs was never
   * there.
   */
  readonly bidTicks: number;
  readonly askTicks: number;
}

/**
 * The quotes of a market over time. A bucket keeps the totals up to its last sample. So buckets
 * join without loss, and an interval between two samples is their difference.
 */
export class QuoteSeries implements Bucketed {
  readonly #passed: (QuoteTimes | undefined)[] = [];

  /** @param passed since the start of the run. */
  put(bucket: number, passed: QuoteTimes): void {
    this.#passed[bucket] = passed;
  }

  halve(): void {
    const passed = this.#passed;
    const buckets = Math.ceil(passed.length / 2);
    for (let bucket = 0; bucket < buckets; bucket += 1)
      passed[bucket] = passed[2 * bucket + 1] ?? passed[2 * bucket];
    passed.length = buckets;
  }

  /**
   * The intervals of the first `buckets` buckets, each between the two samples around its bucket.
   * Undefined where no time had passed, or after the last sample.
   */
  stretches(buckets: number): (QuotedStretch | undefined)[] {
    const stretches: (QuotedStretch | undefined)[] = [];
    let before = NOTHING;
    for (let bucket = 0; bucket < buckets; bucket += 1) {
      const passed = this.#passed[bucket];
      if (passed === undefined) continue;
      const stretch = between(before, passed);
      while (stretches.length <= bucket) stretches.push(stretch);
      before = passed;
    }
    while (stretches.length < buckets) stretches.push(undefined);
    return stretches;
  }
}

const NO_SIDE: SideTimes = {
  restingUs: 0,
  atTouchUs: 0,
  measuredUs: 0,
  distanceTickUs: 0,
  meanDistanceTicks: Number.NaN,
  meanDistanceBps: Number.NaN,
};
const NOTHING: QuoteTimes = { totalUs: 0, bothUs: 0, bid: NO_SIDE, ask: NO_SIDE };

function between(from: QuoteTimes, to: QuoteTimes): QuotedStretch | undefined {
  const us = to.totalUs - from.totalUs;
  if (us <= 0) return undefined;
  const ticks = (side: "bid" | "ask"): number =>
    (to[side].distanceTickUs - from[side].distanceTickUs) /
    (to[side].measuredUs - from[side].measuredUs);
  return {
    both: (to.bothUs - from.bothUs) / us,
    bid: (to.bid.restingUs - from.bid.restingUs) / us,
    ask: (to.ask.restingUs - from.ask.restingUs) / us,
    bidTicks: ticks("bid"),
    askTicks: ticks("ask"),
  };
}
