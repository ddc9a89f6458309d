/**
 * The result of a benchmark: ours against a reference, in the same run, because absolute figures
 * depend more on the machine.
 */
export interface BenchResult {
  readonly name: string;
  /** Median over the rounds. */
  readonly ours: number;
  /** Median over the rounds. */
  readonly reference: number;
  /** The unit of `ours` and `reference`. */
  readonly unit: string;
  /** `ours` divided by `reference`: the median of the quotients of each round. */
  readonly ratio: number;
  readonly referenceIs: string;
  /** The stages of the time, or further counts, each named with its unit. */
  readonly details?: Readonly<Record<string, number>>;
}

/**
 * A benchmark: `bench/NAME.bench.ts` exports one as `bench`, and `npm run -s bench -- NAME` runs
 * it.
 */
export interface Bench {
  /** One line: the measured thing and its reference. */
  readonly about: string;
  /** The required ratio, for the reader; the run itself does not judge. */
  readonly floor?: number;
  readonly ceiling?: number;
  run(): Promise<Omit<BenchResult, "name">>;
}

/**
 * The reference of a benchmark is not available on this machine; the message says why. The run
 * reports it, but does not fail.
 */
export class BenchUnavailable extends Error {
  override readonly name = "BenchUnavailable";
}
