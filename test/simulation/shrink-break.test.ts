import { describe, expect, it } from "vitest";
import { SEED_BUDGET } from "./seed-budget.js";
import { shrinkPlan } from "./shrink/shrink-plan.js";
import { runStory } from "./shrink/story.js";
import { storyModeNamed } from "./shrink/story-modes.js";

const [SEED] = SEED_BUDGET.shrunkBreak.seeds;
/** A cheap one: `npm run verify` shrinks all of them. */
const BREAK = "stale-price-trusted";

describe("a failing run of a break, shrunk to a story that a trader can read", () => {
  it(`${BREAK}: one fault is left, which alone shows the loss`, async () => {
    const mode = storyModeNamed("references");
    const plan = mode.draw(SEED, mode.marketMs, BREAK);
    const shrunk = await shrinkPlan(mode, plan, { breakName: BREAK, maxRuns: 60 });
    if (shrunk === undefined) return expect.fail(`seed ${SEED} shows ${BREAK}`);
    const { before, after, violation, runs } = shrunk;
    expect(shrunk).toMatchObject({ isComplete: true, isScripted: true });
    expect(before.windows).toBeGreaterThan(10);
    expect([after.windows, after.strikes]).toEqual([1, 0]);
    expect(runs).toBeLessThanOrEqual(SEED_BUDGET.shrunkBreak.times);
    const from = { seed: SEED, size: before };
    const { rule } = violation;
    const story = { mode: mode.name, break: BREAK, rule, from, size: after, plan: shrunk.plan };
    expect((await runStory(story, true))[0]).toEqual(violation);
    expect(await runStory(story, false)).toEqual([]);
  });
});
