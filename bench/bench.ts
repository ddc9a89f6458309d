/** What a benchmark measured: ours against a reference, in the same run, because absolute figures say more of the machine. */
export interface BenchResult {
  readonly name: string;
  /** Median over the rounds. */
  readonly ours: number;
  /** Median over the rounds. */
  readonly reference: number;
  /** Of `ours` and `reference`. */
  readonly unit: string;
  /** `ours` divided by `reference`, the median over the rounds' own quotients. */
  readonly ratio: number;
  readonly referenceIs: string;
  /** Where the time went or what was counted besides, each named with its unit. */
  readonly details?: Readonly<Record<string, number>>;
}

/** A benchmark: `bench/NAME.bench.ts` exports one as `bench`, and `npm run -s bench -- NAME` runs it. */
export interface Bench {
  /** One line: what is measured against what. */
  readonly about: string;
  /** The ratio that has to be held, for the reader; the run itself does not judge. */
  readonly floor?: number;
  readonly ceiling?: number;
  run(): Promise<Omit<BenchResult, "name">>;
}

/** What a benchmark measures against cannot be had on this machine; the message says why. The run says so, and that is no failure. */
export class BenchUnavailable extends Error {
  override readonly name = "BenchUnavailable";
}
