import type { Lots } from "../../core/units.js";

/** More sums than that are not told apart: what has so many parts is looked at again when some of them are over. */
const MOST_SUMS = 1_024;

/** What any of these parts come to together, signed: 0 for none of them first, then sums of the first ones. */
export function subsetSums(parts: Iterable<Lots>): readonly Lots[] {
  const sums = new Set<Lots>([0]);
  for (const lots of parts) {
    for (const sum of [...sums]) sums.add(sum + lots);
    if (sums.size > MOST_SUMS) break;
  }
  return [...sums];
}
