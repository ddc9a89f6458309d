import type { BenchResult } from "./bench.js";

/**
 * One side of a comparison: does its work once, and returns its measure in the unit that both sides
 * share.
 */
export type Measure = () => number | Promise<number>;

/** The two sides of a comparison. */
export interface Contest {
  readonly ours: Measure;
  readonly reference: Measure;
  /** The number of counted rounds; one more runs first as a warm-up. */
  readonly rounds: number;
}

/**
 * Measures both sides in turn, alternating the first of a round, so that other work of the machine
 * affects both alike. The heap is collected before each measure if the process allows it.
 * @returns medians; `ratio` is the median of the quotients of each round.
 */
export async function interleaved({
  ours,
  reference,
  rounds,
}: Contest): Promise<Pick<BenchResult, "ours" | "reference" | "ratio">> {
  const taken = { ours: [] as number[], reference: [] as number[], ratio: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const oursFirst = round % 2 === 0;
    const early = await measured(oursFirst ? ours : reference);
    const late = await measured(oursFirst ? reference : ours);
    if (round > 0) {
      const [ourValue, referenceValue] = oursFirst ? [early, late] : [late, early];
      taken.ours.push(ourValue);
      taken.reference.push(referenceValue);
      taken.ratio.push(ourValue / referenceValue);
    }
  }
  return {
    ours: median(taken.ours),
    reference: median(taken.reference),
    ratio: median(taken.ratio),
  };
}

/**
 * Runs `batch`, which does `operations` operations, until `leastMs` have passed.
 * @returns operations per second.
 */
export function ratePerSecond(batch: () => void, operations: number, leastMs: number): number {
  const start = performance.now();
  let batches = 0;
  let elapsedMs = 0;
  while (elapsedMs < leastMs) {
    batch();
    batches += 1;
    elapsedMs = performance.now() - start;
  }
  return (batches * operations * 1000) / elapsedMs;
}

/**
 * The middle value; for an even number, the mean of the two middle ones.
 * @throws RangeError without values.
 */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  if (upper === undefined || lower === undefined) {
    throw new RangeError("no values to take the median of");
  }
  return (lower + upper) / 2;
}

/**
 * The mean without the slowest twentieth, which mostly measures other work of the machine.
 * @throws RangeError without values.
 */
export function trimmedMean(values: readonly number[]): number {
  if (values.length === 0) {
    throw new RangeError("no values to take the mean of");
  }
  const kept = [...values].sort((a, b) => a - b).slice(0, Math.ceil(values.length * 0.95));
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
}

/**
 * The slope of `ys` over `xs` by least squares.
 * @throws RangeError for fewer than two different `xs`, or another number of `ys`.
 */
export function slopeOf(xs: readonly number[], ys: readonly number[]): number {
  if (xs.length !== ys.length || new Set(xs).size < 2) {
    throw new RangeError("no slope without two places and a value at each");
  }
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(xs), mean(ys)];
  let covariance = 0;
  let variance = 0;
  xs.forEach((x, at) => {
    covariance += (x - meanX) * ((ys[at] as number) - meanY);
    variance += (x - meanX) ** 2;
  });
  return covariance / variance;
}

async function measured(measure: Measure): Promise<number> {
  globalThis.gc?.();
  return await measure();
}
