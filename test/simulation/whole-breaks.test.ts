import { describe, expect, it } from "vitest";
import { SEED_BUDGET } from "./seed-budget.js";
import { runWhole } from "./whole/run-whole.js";
import { WHOLE_BREAKS } from "./whole/whole-breaks.js";
import { WHOLE_MS } from "./whole/whole-plan.js";

const { seeds } = SEED_BUDGET.wholeBreaks;

describe("a rule of the whole system that is switched off is noticed", () => {
  for (const broken of WHOLE_BREAKS) {
    it(`${broken.name}: ${broken.what}`, async () => {
      for (const seed of seeds) {
        const { violations } = await runWhole(seed, WHOLE_MS, broken);
        if (violations.length === 0) continue;
        expect(broken.rules).toContain(violations[0]?.rule);
        return;
      }
      expect.fail(`seeds ${seeds.join(", ")} ran without a violation`);
    });
  }
});
