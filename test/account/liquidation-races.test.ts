import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampledRuns } from "../support/sampled-runs.js";
import { agrees } from "./agrees.js";
import { LiquidationRace } from "./liquidation-race.js";
import { type Faults, race } from "./race.js";

const seeds = fc.integer({ min: 0, max: 0x7fffffff });
const counts = fc.constantFrom("match" as const, "settlement" as const);
const CALM: Faults = { lost: 0, twice: 0, dropped: 0, failing: 0, manual: 0, disorder: false };
const STORM: Faults = { lost: 5, twice: 5, dropped: 10, failing: 15, manual: 1, disorder: true };

describe("an account whose position moves without a trade, for exchanges that count trades from match or settlement", () => {
  it("finds no difference after repeated liquidations amid trades", () => {
    fc.assert(
      fc.property(seeds, counts, (seed, positionsFrom) => {
        const end = race(new LiquidationRace(seed, { ...CALM, positionsFrom }), () => {});
        agrees(end);
        expect(end.account.counts.differences).toBe(0);
      }),
      { numRuns: sampledRuns(40) },
    );
  });

  it("finds none when it acquires positions, reported by the exchange and by receipts in any order, and counts each once", () => {
    fc.assert(
      fc.property(seeds, counts, (seed, positionsFrom) => {
        const end = race(
          new LiquidationRace(seed, { ...CALM, takesOver: true, positionsFrom }),
          () => {},
        );
        agrees(end);
        expect(end.account.counts.differences).toBe(0);
      }),
      // The example: two takeovers at once, each reported first by another source, were counted as
      // one of both sizes.
      { numRuns: sampledRuns(40), examples: [[577_500_093, "match"]] },
    );
  });

  it("agrees with the exchange once losses, copies, failures and restarts have ended", () => {
    fc.assert(
      fc.property(seeds, counts, fc.boolean(), (seed, positionsFrom, takesOver) => {
        agrees(
          race(
            new LiquidationRace(seed, { ...STORM, takesOver, positionsFrom, restarting: 0.15 }),
            () => {},
          ),
        );
      }),
      { numRuns: sampledRuns(60) },
    );
  });
});
