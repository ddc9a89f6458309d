import { expect, it } from "vitest";
import { BREAKS } from "./breaks.js";
import { HEDGE_BREAKS } from "./hedge/hedge-breaks.js";
import { REFERENCE_BREAKS } from "./references/reference-breaks.js";
import { BUDGET_SECONDS, SEED_BUDGET } from "./seed-budget.js";
import { WHOLE_BREAKS } from "./whole/whole-breaks.js";

it("the simulations of npm test take no more processor time together than their budget", () => {
  const shares = Object.values(SEED_BUDGET);
  const seconds = shares.reduce(
    (sum, { seeds, times, secondsEach }) => sum + seeds.length * times * secondsEach,
    0,
  );
  expect(seconds).toBeLessThanOrEqual(BUDGET_SECONDS);
  expect(SEED_BUDGET.makerBreaks.times).toBe(BREAKS.length);
  expect(SEED_BUDGET.wholeBreaks.times).toBe(WHOLE_BREAKS.length);
  expect(SEED_BUDGET.hedgeBreaks.times).toBe(HEDGE_BREAKS.length);
  expect(SEED_BUDGET.referenceBreaks.times).toBe(REFERENCE_BREAKS.length);
});
