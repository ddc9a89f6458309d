import type { Arm } from "./value-arms.js";
import type { ValueAnswer } from "./value-pool.js";
import type { ValueRun } from "./value-run.js";

/** The seeds that were run in a market, in order. */
export function seedsIn(answers: readonly ValueAnswer[], market: string): readonly number[] {
  const seeds = answers.filter(({ job }) => job.market.name === market).map(({ job }) => job.seed);
  return [...new Set(seeds)].sort((one, other) => one - other);
}

/** The runs of a bot in a market, in the order of their seeds. */
export function runsOfArm(
  answers: readonly ValueAnswer[],
  market: string,
  arm: Arm,
): readonly ValueRun[] {
  return answers
    .filter(({ job }) => job.market.name === market && job.arm.name === arm.name)
    .sort((one, other) => one.job.seed - other.job.seed)
    .map(({ run }) => run);
}

/** Differences of two bots' values on the same seeds. */
export function pairedDifferences(
  values: readonly number[],
  base: readonly number[],
): readonly number[] {
  return values.map((value, at) => value - (base[at] as number));
}
