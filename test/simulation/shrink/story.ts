import { z } from "zod";
import { decodeLine, encodeJournal } from "#bot/journal.js";
import type { Violation } from "../violation.js";
import type { RunSize } from "./shrink-plan.js";
import type { PlanBase, StoryMode } from "./story-mode.js";
import { storyModeNamed } from "./story-modes.js";

/** The format of a story file; a reader refuses any other. */
const STORY_VERSION = 1;

/** A failing run that was made small: plain data, which runs again. */
export interface Story {
  readonly mode: string;
  /** The rule of the bot that is switched off; none of a run that failed with all rules. */
  readonly break: string | undefined;
  /** The rule of the simulation that its run violates. */
  readonly rule: string;
  readonly from: { readonly seed: number; readonly size: RunSize };
  readonly size: RunSize;
  readonly plan: PlanBase;
}

const size = z.strictObject({
  windows: z.int().nonnegative(),
  strikes: z.int().nonnegative(),
  passedMs: z.number(),
  events: z.int().nonnegative(),
});

const storyFile = z.strictObject({
  story: z.literal(STORY_VERSION),
  mode: z.string(),
  break: z.string().optional(),
  rule: z.string().min(1),
  from: z.strictObject({ seed: z.int().nonnegative(), size }),
  size,
  plan: z.unknown(),
});

/** The file of a story. */
export function storyText(story: Story): string {
  const plain: unknown = JSON.parse(encodeJournal({ story: STORY_VERSION, ...story }));
  return `${JSON.stringify(plain, null, 2)}\n`;
}

/**
 * Reads the file of a story.
 * @throws Error naming the field of a file that is no story of this version
 */
export function parseStory(text: string): Story {
  const file = storyFile.safeParse(decodeLine(text, 1));
  if (!file.success) throw new Error(`not a story: ${z.prettifyError(file.error)}`);
  const { story: _, plan: untrusted, ...story } = file.data;
  const mode = storyModeNamed(story.mode);
  if (story.break !== undefined && !mode.breaks.some(({ name }) => name === story.break))
    throw new Error(
      `break is ${story.break}: expected one of ${mode.breaks.map(({ name }) => name).join(", ")}`,
    );
  const plan = mode.schema.safeParse(untrusted);
  if (!plan.success) throw new Error(`plan is wrong: ${z.prettifyError(plan.error)}`);
  return { ...story, break: story.break, plan: plan.data };
}

/** The violations of a story, with its break or with all rules. */
export async function runStory(
  { mode, plan, break: breakName }: Story,
  isBroken: boolean,
): Promise<readonly Violation[]> {
  const found: StoryMode<PlanBase> = storyModeNamed(mode);
  const run = isBroken
    ? found.run(plan, breakName, { stopsAtViolation: true })
    : found.run(plan, undefined, {});
  return (await run).violations;
}
