import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { shrinkPlan } from "./shrink-plan.js";
import { parseStory, runStory, type Story, storyText } from "./story.js";
import { storyModeNamed } from "./story-modes.js";
import { formatRunSize, formatStory } from "./story-text.js";

/** Candidates that are run at most: a few minutes. */
export const DEFAULT_SHRINK_RUNS = 150;

/** The options of `npm run simulate -- --shrink`. */
export interface ShrinkRequest {
  readonly mode: string;
  readonly seed: number;
  readonly marketMs: number;
  readonly breakName: string | undefined;
  readonly maxRuns: number;
  /** The story's file; printed only if absent. */
  readonly out: string | undefined;
}

/**
 * Shrinks the failing run of a seed, prints its story and writes its file.
 * @returns the exit code: 1 if the seed has no violation, or the story fails with all rules too
 */
export async function shrinkSeed(request: ShrinkRequest): Promise<number> {
  const { seed, breakName, maxRuns, out } = request;
  if (out !== undefined && existsSync(out))
    throw new Error(`--out is ${out}, which exists: expected the path of a new file`);
  const mode = storyModeNamed(request.mode);
  const plan = mode.draw(seed, request.marketMs, breakName);
  const shrunk = await shrinkPlan(mode, plan, { breakName, maxRuns });
  if (shrunk === undefined) {
    process.stdout.write(`seed ${seed} has no violation to shrink\n`);
    return 1;
  }
  const { violation, before, after, runs, isComplete, isScripted } = shrunk;
  const story: Story = {
    mode: mode.name,
    break: breakName,
    rule: violation.rule,
    from: { seed, size: before },
    size: after,
    plan: shrunk.plan,
  };
  process.stdout.write(formatStory(story, [violation]));
  process.stdout.write(`before: ${formatRunSize(before)}\nafter:  ${formatRunSize(after)}\n`);
  process.stdout.write(
    `${runs} runs${isComplete ? "" : ", which is the limit of --shrink-runs: more may make it smaller"}${isScripted ? "" : "; some faults are still left to chance"}\n`,
  );
  if (out !== undefined) {
    writeFileSync(out, storyText(story), { flag: "wx" });
    process.stdout.write(`written: npm run simulate -- --story ${out}\n`);
  }
  return breakName === undefined ? 0 : reportOthers(story);
}

/** Runs the file of a story, with its break and without. @returns the exit code, 0 as expected */
export async function playStory(path: string): Promise<number> {
  const story = parseStory(readFileSync(path, "utf8"));
  const violations = await runStory(story, true);
  process.stdout.write(formatStory(story, violations));
  if (story.break === undefined) return violations.length === 0 ? 0 : 1;
  const isShown = violations[0]?.rule === story.rule;
  if (!isShown) process.stdout.write(`the violation of ${story.rule} does not show any more\n`);
  const others = await reportOthers(story);
  return isShown ? others : 1;
}

/** Runs a story with all rules, in which nothing may fail. */
async function reportOthers(story: Story): Promise<number> {
  const [first] = await runStory(story, false);
  process.stdout.write(
    first === undefined
      ? "with all rules the same story has no violation\n"
      : `with all rules the same story has a violation of ${first.rule}: ${first.text}\n`,
  );
  return first === undefined ? 0 : 1;
}
