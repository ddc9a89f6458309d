import type { BotEvent } from "#bot/bot-event.js";
import type { Ms } from "#core/units.js";
import type { FaultScript } from "#simulation/faults.js";
import type { ProcessJournal } from "./process-journal.js";
import type { Violation } from "./violation.js";

/** How a plan is run. */
export interface PlanRunOptions {
  /** True to end with the first violation, since the rest of the run is not needed. */
  readonly stopsAtViolation?: boolean;
  /** Ends before the end of the market's time, and judges nothing then. */
  readonly untilMs?: Ms;
  readonly trace?: (atMs: Ms, notice: BotEvent) => void;
  /** Violations that are found outside the world. */
  readonly alsoFound?: () => readonly Violation[];
  /** Receives the journal of each process of the bot. */
  readonly journal?: ProcessJournal;
}

/** The result of a plan's run, in any mode. */
export interface PlanRun {
  readonly events: number;
  /** In the order in which they were found. */
  readonly violations: readonly Violation[];
  /** The faults that struck, by network; none of a mode whose faults are certain. */
  readonly scripts: readonly FaultScript[];
}
