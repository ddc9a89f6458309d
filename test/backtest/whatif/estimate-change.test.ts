import { describe, expect, it } from "vitest";
import { estimateChange, type MarketBlocks } from "#backtest/estimate-change.js";
import type { FillBlock } from "#backtest/fill-blocks.js";
import { seededRandom } from "#core/seeded-random.js";

const NONE: FillBlock = { lots: 0, spread: 0, fees: 0, drift: 0, held: 0 };

function market(after: readonly FillBlock[], before = after.map(() => NONE)): MarketBlocks {
  return { live: before, before, after };
}

describe("the estimated change of profit", () => {
  it("is the sum of its parts and of the funding, so that no part is lost", () => {
    const after = Array.from({ length: 12 }, (_, at) => ({
      lots: 4,
      spread: 2 + (at % 3),
      fees: -0.5,
      drift: -1,
      held: at,
    }));
    const { parts, total } = estimateChange([market(after)], 0.25, 0, "0.8");
    expect(parts.spread.value).toBeCloseTo(36);
    expect(parts.fees.value).toBeCloseTo(-6);
    expect(parts.adverseSelection.value).toBeCloseTo(-12);
    expect(total.value).toBeCloseTo(36 - 6 - 12 + 0.25);
  });

  it("takes no luck of a position for a profit: later moves of the mid count nothing", () => {
    const quiet = Array.from({ length: 12 }, () => ({ ...NONE, lots: 1, spread: 1 }));
    const lucky = quiet.map((block, at) => ({ ...block, held: at === 3 ? 1000 : 0 }));
    const [one, other] = [quiet, lucky].map((after) =>
      estimateChange([market(after)], 0, 0, "0.8"),
    );
    expect(other?.total.value).toBe(one?.total.value);
    expect(other?.errors.luck).toBeGreaterThan(10);
  });

  it("is less sure at a higher level, with an uncertain fit, and with a fit that earns too much", () => {
    const random = seededRandom("blocks");
    const after = Array.from({ length: 12 }, () => ({
      ...NONE,
      lots: 3,
      spread: random.uniform(),
    }));
    const before = after.map(({ spread, ...block }) => ({ ...block, lots: 2, spread: spread / 2 }));
    const plain = market(after, before);
    const kinder = { ...plain, live: before.map((block) => ({ ...block, spread: 0 })) };
    const width = (of: MarketBlocks, spread = 0, level = "0.8"): number => {
      const { total } = estimateChange([of], 0, spread, level);
      return total.high - total.low;
    };
    expect(width(plain, 0, "0.95")).toBeGreaterThan(width(plain));
    expect(width(plain, 1)).toBeGreaterThan(width(plain));
    expect(width(kinder)).toBeGreaterThan(width(plain));
  });

  it("covers a known change at least as often as it promises", () => {
    const random = seededRandom("coverage");
    let covered = 0;
    for (let session = 0; session < 500; session++) {
      const after = Array.from({ length: 12 }, () => ({
        ...NONE,
        lots: 1,
        spread: 1 + 4 * (random.uniform() + random.uniform() + random.uniform() - 1.5),
      }));
      const { low, high } = estimateChange([market(after)], 0, 0, "0.8").total;
      if (low <= 12 && 12 <= high) covered += 1;
    }
    expect(covered / 500).toBeGreaterThanOrEqual(0.8);
    expect(covered / 500).toBeLessThan(0.95);
  });
});
