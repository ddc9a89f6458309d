/** The environment variable with which `npm run verify` runs the sampled tests in full. */
export const FULL_RUNS_VARIABLE = "MARKETWRIGHT_FULL_RUNS";

/** The part of the runs that `npm test` has time for. */
const SAMPLE = 1 / 3;

/**
 * The number of runs of a long property: all in `npm run verify`, which includes the files that use
 * this, and the first third in `npm test`.
 */
export function sampledRuns(full: number): number {
  const { [FULL_RUNS_VARIABLE]: isFull } = process.env;
  return isFull === undefined ? Math.ceil(full * SAMPLE) : full;
}
