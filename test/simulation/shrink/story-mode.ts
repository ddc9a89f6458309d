import { NEVER } from "rxjs";
import type { z } from "zod";
import type { Bot } from "#bot/bot.js";
import type { ReplayParts } from "#bot/open-replay.js";
import type { Ms } from "#core/units.js";
import type { BotRig } from "#simulation/bot-rig.js";
import type { FaultStrike, FaultWindow } from "#simulation/faults.js";
import type { PlanRun, PlanRunOptions } from "../plan-run.js";

/** A value of a plan that makes its run simpler. */
export interface SimplerValue {
  /** Keys from the plan on; `*` is every key of an object, or every entry of a list. */
  readonly path: readonly string[];
  readonly value: unknown;
}

/** A list of a plan and the strikes that can take the place of its windows. */
export interface ScriptedList<Plan> {
  readonly windows: keyof Plan;
  readonly strikes: keyof Plan;
}

/** How a plan can be made smaller. */
export interface PlanShape<Plan> {
  /** Lists whose entries may be left out: faults, outages, moves of a price. */
  readonly lists: readonly (keyof Plan)[];
  /** In the order of the scripts of a run. */
  readonly scripted: readonly ScriptedList<Plan>[];
  /** True if other faults of a plan are left to chance; absent if none can be. */
  readonly isChance?: (plan: Plan) => boolean;
  readonly simpler: readonly SimplerValue[];
  /** Plans with a part of the markets. */
  readonly fewerMarkets: (plan: Plan) => readonly Plan[];
  /** Instant at which the run begins: that of the lists' times. */
  readonly startMs: Ms;
  /** Before the first fault and after the last one. */
  readonly calmBeforeMs: Ms;
  readonly calmAfterMs: Ms;
  /** A plan with another length. */
  readonly withLength: (plan: Plan, marketMs: Ms) => Plan;
}

/** A plan as far as every mode has it. */
export interface PlanBase {
  readonly seed: number | string;
  readonly marketMs: Ms;
}

/** A mode of the simulation whose failing runs can be shrunk. */
export interface StoryMode<Plan extends PlanBase> {
  readonly name: string;
  /** Market time of a seed. */
  readonly marketMs: Ms;
  readonly breaks: readonly { readonly name: string; readonly what: string }[];
  readonly schema: z.ZodType<Plan>;
  readonly shape: PlanShape<Plan>;
  /** The plan of a seed, as the break changes it. */
  readonly draw: (seed: number, marketMs: Ms, breakName: string | undefined) => Plan;
  readonly run: (
    plan: Plan,
    breakName: string | undefined,
    options: PlanRunOptions,
  ) => Promise<PlanRun>;
  /** The parts of a run's bot that its journal does not name; absent of a mode without a bot. */
  readonly replayParts?: (plan: Plan, breakName: string | undefined) => ReplayParts;
}

/** An entry of a list that takes place from an instant to another. */
export function isWindow(entry: unknown): entry is Pick<FaultWindow, "fromMs" | "untilMs"> {
  return typeof entry === "object" && entry !== null && "fromMs" in entry && "untilMs" in entry;
}

/** An entry of a list that takes place at an instant. */
export function isInstant(entry: unknown): entry is Pick<FaultStrike, "atMs"> {
  return typeof entry === "object" && entry !== null && "atMs" in entry;
}

/** Changes a bot as a break does that changes the bot of a rig. */
export function preparedBy(change: ((rig: BotRig) => void) | undefined): ReplayParts {
  if (change === undefined) return {};
  const venue = { events$: NEVER };
  return { prepare: (bot: Bot) => change({ bot, venue } as unknown as BotRig) };
}
