import type { BotConfig } from "../bot/config/config.js";
import { RunError } from "../core/errors.js";
import type { Ms } from "../core/units.js";
import type { ExchangeConfig } from "../simulator/config/config.js";
import type { Rehearsal, RehearsedRun } from "./rehearsal-result.js";
import type { RehearsedFault } from "./rehearsed-fault.js";

/** The exchange of a rehearsal, as its file describes it. */
export interface RehearsalExchange {
  readonly config: ExchangeConfig;
  /** Folder of the file, to which its paths are relative. */
  readonly baseFolder: string;
}

/** Options of {@link rehearse}. */
export interface RehearseOptions {
  readonly bot: BotConfig;
  /** Path of the bot's file, for the result. */
  readonly botName: string;
  /** A synthetic market for each market of the bot if absent. */
  readonly exchange: RehearsalExchange | undefined;
  readonly seeds: readonly number[];
  /** The kinds to rehearse; every kind that applies if empty. `none` always runs. */
  readonly faults: readonly RehearsedFault[];
  /** Length of each run. */
  readonly marketMs: Ms;
  /** Number of worker threads. 0 runs everything in this thread. */
  readonly threads: number;
  /** True if the bot's guard runs beside it. */
  readonly runsGuard: boolean;
  /** Records the time line of each run. */
  readonly withTimeline?: boolean;
  /** Called after each run, in any order. */
  readonly onRun?: (run: RehearsedRun, done: number, total: number) => void;
  /** Ends the rehearsal early, with the runs that are complete. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a bot on simulated markets, each seed once without a fault and once under each kind. Equal
 * options give an equal result, whatever the number of threads.
 * @throws ConfigError for a market that the exchange does not have, and for a strategy that cannot
 * be loaded; RunError for a fault that does not apply to the bot's file
 */
export async function rehearse(options: RehearseOptions): Promise<Rehearsal> {
  throw new RunError("cannot be rehearsed yet", { field: "bot", value: options.botName });
}
