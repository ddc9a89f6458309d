import type { VenueRules } from "#exchange/records.js";
import type { BotRig, RigOptions } from "./bot-rig.js";
import type { SeedPlan } from "./seed-plan.js";

/** One rule of the bot switched off, to prove that its loss is noticed. */
export interface Break {
  readonly name: string;
  readonly what: string;
  /** Changes the seed's plan before anything is built. */
  readonly plan?: (plan: SeedPlan) => SeedPlan;
  /** Changes how a bot is put together; called for each start of a bot. */
  readonly rig?: (
    options: RigOptions,
    context: { readonly rig: () => BotRig; readonly rules: VenueRules },
  ) => RigOptions;
  /** Changes the bot after it was put together. */
  readonly bot?: (rig: BotRig) => void;
}
