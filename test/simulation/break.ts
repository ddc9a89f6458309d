import type { VenueRules } from "#exchange/records.js";
import type { BotRig, RigOptions } from "#simulation/bot-rig.js";
import type { SeedPlan } from "./seed-plan.js";

/** A rule of the bot that is switched off, to prove that the simulation notices. */
export interface Break {
  readonly name: string;
  readonly what: string;
  /** The first seed that notices it; 1 unless given. */
  readonly noticedBySeed?: number;
  /** Changes the seed's plan before anything is built. */
  readonly plan?: (plan: SeedPlan) => SeedPlan;
  /** Changes the options of a bot; called for each start of a bot. */
  readonly rig?: (
    options: RigOptions,
    context: { readonly rig: () => BotRig; readonly rules: VenueRules },
  ) => RigOptions;
  /** Changes the bot after it was built. */
  readonly bot?: (rig: BotRig) => void;
}
