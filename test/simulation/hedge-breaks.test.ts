import { describe, expect, it } from "vitest";
import { HEDGE_BREAKS } from "./hedge/hedge-breaks.js";
import { HEDGE_MS } from "./hedge/hedge-plan.js";
import { runHedge } from "./hedge/run-hedge.js";
import { SEED_BUDGET } from "./seed-budget.js";

const { seeds } = SEED_BUDGET.hedgeBreaks;

describe("a rule of hedges that is switched off is noticed", () => {
  for (const broken of HEDGE_BREAKS) {
    it(`${broken.name}: ${broken.what}`, async () => {
      for (const seed of seeds) {
        const { violations } = await runHedge(seed, HEDGE_MS, broken);
        if (violations.length === 0) continue;
        expect(broken.rules).toContain(violations[0]?.rule);
        return;
      }
      expect.fail(`seeds ${seeds.join(", ")} ran without a violation`);
    });
  }
});
