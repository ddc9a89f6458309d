/**
 * If set to `tiny`, every benchmark does just enough to show that it still runs. Its figures then
 * mean nothing.
 */
const isTiny = process.env.MARKETWRIGHT_BENCH === "tiny";

/** Returns the amount of work of a benchmark: `full`, or `tiny` in a trial run of the suite. */
export function effort(full: number, tiny: number): number {
  return isTiny ? tiny : full;
}
