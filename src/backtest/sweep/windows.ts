import { ConfigError } from "../../core/errors.js";

/** A span of history that points are run on. */
export interface SweepWindow {
  /** `whole`, `train0`, `test0`, `train1`, ... */
  readonly name: string;
  /** Microseconds since 1970, the second exclusive. */
  readonly fromUs: number;
  readonly toUs: number;
}

/**
 * One step of a walk forward: every point runs on `train`, the best of them on `test`, which begins
 * where `train` ends.
 */
export interface Split {
  readonly train: SweepWindow;
  readonly test: SweepWindow;
}

/**
 * A window extended by the warm-up before it, as far as there is history: the figures begin where
 * the window does. Train windows are not extended: the first has nothing before it, and all of them
 * must be alike.
 */
export function prependWarmup(
  window: SweepWindow,
  warmupMs: number,
  historyFromUs: number,
): SweepWindow {
  return { ...window, fromUs: Math.max(historyFromUs, window.fromUs - warmupMs * 1000) };
}

/** Lengths, milliseconds. */
export interface WalkForward {
  readonly trainMs: number;
  readonly testMs: number;
  /** From one train window's beginning to the next one's. */
  readonly stepMs: number;
}

/** More splits are taken for a mistake. */
const MOST_SPLITS = 10_000;

/**
 * The splits of a span, from its beginning: each is whole, and the rest at the end is left out.
 * @throws ConfigError where not one fits
 */
export function makeSplits(
  { fromUs, toUs }: Pick<SweepWindow, "fromUs" | "toUs">,
  { trainMs, testMs, stepMs }: WalkForward,
): Split[] {
  const [trainUs, testUs, stepUs] = [trainMs * 1000, testMs * 1000, stepMs * 1000];
  const count = Math.floor((toUs - fromUs - trainUs - testUs) / stepUs) + 1;
  if (count < 1) {
    throw new ConfigError("is longer than the history", {
      field: "walkForward",
      value: `${trainMs} ms and ${testMs} ms`,
      expected: `trainMs and testMs of together at most ${Math.floor((toUs - fromUs) / 1000)}`,
    });
  }
  if (count > MOST_SPLITS) {
    throw new ConfigError("leads to too many splits", {
      field: "walkForward.stepMs",
      value: stepMs,
      expected: `at most ${MOST_SPLITS} splits: a longer step`,
    });
  }
  return Array.from({ length: count }, (_, at) => {
    const beginUs = fromUs + at * stepUs;
    const middleUs = beginUs + trainUs;
    return {
      train: { name: `train${at}`, fromUs: beginUs, toUs: middleUs },
      test: { name: `test${at}`, fromUs: middleUs, toUs: middleUs + testUs },
    };
  });
}
