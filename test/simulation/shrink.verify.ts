import { describe, expect, it } from "vitest";
import { shrinkPlan } from "./shrink/shrink-plan.js";
import { runStory } from "./shrink/story.js";
import { STORY_MODES } from "./shrink/story-modes.js";

const MOST_SEEDS = 24;
const MAX_RUNS = 80;
const MARKET_MS = 1_200_000;

describe("a failing run of a break, shrunk", () => {
  for (const mode of STORY_MODES)
    for (const { name: breakName } of mode.breaks)
      it(`${mode.name}, ${breakName}: still violates its rule first, and none with all rules`, async () => {
        for (let seed = 1; seed <= MOST_SEEDS; seed += 1) {
          const plan = mode.draw(seed, Math.min(mode.marketMs, MARKET_MS), breakName);
          const shrunk = await shrinkPlan(mode, plan, { breakName, maxRuns: MAX_RUNS });
          if (shrunk === undefined) continue;
          const { before, after, violation } = shrunk;
          const story = {
            mode: mode.name,
            break: breakName,
            rule: violation.rule,
            from: { seed, size: before },
            size: after,
            plan: shrunk.plan,
          };
          expect(after.windows).toBeLessThanOrEqual(before.windows);
          expect((await runStory(story, true))[0]?.rule).toBe(violation.rule);
          expect(await runStory(story, false)).toEqual([]);
          return;
        }
        expect.fail(`${MOST_SEEDS} seeds ran without a violation`);
      });
});
