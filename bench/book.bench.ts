import type { Bench } from "./bench.js";
import { applyToBook, applyToMaps, bookChanges } from "./book-changes.js";
import { interleaved, ratePerSecond } from "./rounds.js";

const LEVELS = 1000;
const CHANGES = 500_000;
/** The reference is so much slower that it gets only the first of the same changes. */
const REFERENCE_CHANGES = 5000;
const ROUNDS = 7;
const ROUND_MS = 300;

/** Level changes on the sorted typed arrays; both best prices are read after each. */
export const bench: Bench = {
  about:
    "level changes on a book of 1,000 levels a side, the best read after each, against a Map scanned for its best",
  floor: 50,
  async run() {
    const changes = bookChanges(LEVELS, CHANGES, "book");
    if (applyToBook(changes, REFERENCE_CHANGES) !== applyToMaps(changes, REFERENCE_CHANGES)) {
      throw new Error("the two books read different best prices, so there is nothing to compare");
    }
    const measured = await interleaved({
      rounds: ROUNDS,
      ours: () => ratePerSecond(() => applyToBook(changes, CHANGES), CHANGES, ROUND_MS),
      reference: () =>
        ratePerSecond(() => applyToMaps(changes, REFERENCE_CHANGES), REFERENCE_CHANGES, ROUND_MS),
    });
    return {
      ...measured,
      unit: "changes/s",
      referenceIs: "a Map of each side, scanned for its best price",
    };
  },
};
