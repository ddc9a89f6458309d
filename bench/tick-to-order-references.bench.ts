import { initCrypto } from "#core/signing.js";
import type { Bench } from "./bench.js";
import { effort } from "./effort.js";
import { interleaved, trimmedMean } from "./rounds.js";
import { type TickPath, tickPath } from "./tick-path.js";

const RUNS = effort(5, 2);
const ORDERS_A_RUN = effort(150, 3);
const WARM_UP_ORDERS = effort(600, 3);

const US_PER_MS = 1000;

/** A live bot with three reference sources against the same without. */
export const bench: Bench = {
  about:
    "from a stream's frame to a signed order with three references at 2,000 updates a second each, against the same without references",
  ceiling: 1.5,
  async run() {
    await initCrypto();
    const withReferences = await tickPath({ isMarked: false, hasReferences: true });
    const without = await tickPath({ isMarked: false });
    await withReferences.take(WARM_UP_ORDERS, nothing);
    await without.take(WARM_UP_ORDERS, nothing);
    const result = await interleaved({
      ours: () => meanUs(withReferences),
      reference: () => meanUs(without),
      rounds: RUNS,
    });
    withReferences.close();
    without.close();
    return {
      ...result,
      unit: "us a frame",
      referenceIs: `the same bot without references; medians of ${RUNS} alternated runs, each the mean over ${ORDERS_A_RUN} frames of ${without.source}, the slowest twentieth left out`,
    };
  },
};

async function meanUs(path: TickPath): Promise<number> {
  const samples = await path.take(ORDERS_A_RUN, nothing);
  return trimmedMean(samples.map(({ totalMs }) => totalMs)) * US_PER_MS;
}

function nothing(): number {
  return 0;
}
