import type { BotConfig } from "../../bot/config/config.js";
import type { CreditUnits } from "../../core/units.js";
import type { Rehearsal } from "../rehearsal-result.js";
import type { RehearsedFault } from "../rehearsed-fault.js";
import type { RehearsalRuns } from "../summary/rehearsal-runs.js";

/** A weakness of a bot's file that a rehearsal has shown. */
export interface RehearsalFinding {
  readonly id: RehearsalFindingId;
  /** The fault of the run that shows it most clearly. */
  readonly fault: RehearsedFault;
  readonly seed: number;
  /** Its size in that run: the money that was lost, or is at risk; undefined if it is no money. */
  readonly lossScaled: CreditUnits | undefined;
  /** The key of the bot's file, or the option, that would change it. */
  readonly key: string;
  /** One sentence about the run. */
  readonly text: string;
  /** One sentence about the change. */
  readonly advice: string;
}

/** The weaknesses that a rehearsal looks for. */
export type RehearsalFindingId =
  | "bot-failed"
  | "never-quotes"
  | "orders-left"
  | "no-loss-limit"
  | "no-tolerance"
  | "spread-below-fees"
  | "inventory-ignored"
  | "stale-reference-trusted"
  | "guard-absent"
  | "orders-never-expire"
  | "rung-never-acts";

/** The input of the rules: a bot's file, and its rehearsal. */
export interface RehearsedBot {
  readonly config: BotConfig;
  readonly rehearsal: Rehearsal;
  readonly runs: RehearsalRuns;
}

/** Looks for one weakness; at most one finding each, of the run that shows it most clearly. */
export type RehearsalRule = (rehearsed: RehearsedBot) => RehearsalFinding | undefined;
