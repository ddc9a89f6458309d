import { describe, expect, it } from "vitest";
import { REFERENCE_BREAKS } from "./references/reference-breaks.js";
import { REFERENCE_MS } from "./references/reference-plan.js";
import { runReferences } from "./references/run-references.js";
import { SEED_BUDGET } from "./seed-budget.js";

const { seeds } = SEED_BUDGET.referenceBreaks;

describe("a rule of reference prices that is switched off is noticed", () => {
  for (const broken of REFERENCE_BREAKS) {
    it(`${broken.name}: ${broken.what}`, async () => {
      for (const seed of seeds) {
        const { violations } = await runReferences(seed, REFERENCE_MS, broken);
        if (violations.length === 0) continue;
        expect(broken.rules).toContain(violations[0]?.rule);
        return;
      }
      expect.fail(`seeds ${seeds.join(", ")} ran without a violation`);
    });
  }
});
