import type { Lots } from "../../core/units.js";

/** Maximum number of sums. With more parts, the rest is checked when some of them are final. */
const MOST_SUMS = 1_024;

/** The signed sums of all subsets of the parts: 0 first, then sums of the first parts. */
export function subsetSums(parts: Iterable<Lots>): readonly Lots[] {
  const sums = new Set<Lots>([0]);
  for (const lots of parts) {
    for (const sum of [...sums]) sums.add(sum + lots);
    if (sums.size > MOST_SUMS) break;
  }
  return [...sums];
}
