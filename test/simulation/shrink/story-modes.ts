import { HEDGE_MODE } from "./hedge-mode.js";
import { LIQUIDATOR_MODE } from "./liquidator-mode.js";
import { MAKER_MODE } from "./maker-mode.js";
import { REFERENCE_MODE } from "./reference-mode.js";
import type { PlanBase, StoryMode } from "./story-mode.js";
import { TAKEOVERS_MODE } from "./takeovers-mode.js";
import { WHOLE_MODE } from "./whole-mode.js";

/** Every mode whose failing runs can be shrunk. */
export const STORY_MODES: readonly StoryMode<PlanBase>[] = [
  WHOLE_MODE,
  MAKER_MODE,
  TAKEOVERS_MODE,
  REFERENCE_MODE,
  HEDGE_MODE,
  LIQUIDATOR_MODE,
].map((mode) => mode as unknown as StoryMode<PlanBase>);

/** @throws Error for a mode without stories */
export function storyModeNamed(name: string): StoryMode<PlanBase> {
  const mode = STORY_MODES.find((one) => one.name === name);
  if (mode !== undefined) return mode;
  const names = STORY_MODES.map((one) => one.name).join(", ");
  throw new Error(`mode is ${name}: expected one of ${names}`);
}
