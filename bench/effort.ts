/** Set to `tiny`, every benchmark does just enough to show that it still runs: its figures then mean nothing. */
const isTiny = process.env.MARKETWRIGHT_BENCH === "tiny";

/** How much a benchmark does: in earnest, or in a trial run of the suite. */
export function effort(full: number, tiny: number): number {
  return isTiny ? tiny : full;
}
