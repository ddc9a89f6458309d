import type { Ms } from "../core/units.js";
import type { LadderAction, LadderMeasure } from "../risk/risk-ladder.js";
import type { RehearsedFault } from "./rehearsed-fault.js";

/** A rung of the loss ladder in one run; the two loss limits are rungs too. */
export interface RehearsedRung {
  /** `drawdown 500`: the measure, and the loss in quote as the file has it. */
  readonly name: string;
  readonly measure: Extract<LadderMeasure, "drawdown" | "daily-loss">;
  readonly action: LadderAction;
  /** The loss from which the rung acts, in credit units. */
  readonly atScaled: bigint;
  /** True if the loss by the exchange's own records passed it. */
  readonly wasReached: boolean;
  /**
   * Time from there until the bot's rung acted, 0 if it acted without the loss lasting so long;
   * undefined if it never did.
   */
  readonly firedAfterMs: Ms | undefined;
  /**
   * True if the rung did what its action promises: after a halt no quote was open, after `reduce`
   * the position never grew, after `flatten` it became 0. Undefined if it was neither
   * reached nor acted, and if the run ended before it could be seen.
   */
  readonly worked: boolean | undefined;
}

/** All halts of one name and market in one run. */
export interface RehearsedHalt {
  readonly name: string;
  /** Undefined for a halt of the account. */
  readonly marketId: string | undefined;
  readonly times: number;
  /** Time in force, summed. */
  readonly heldMs: Ms;
}

/** One death of the bot's process, as the exchange's records show it. */
export interface RehearsedDeath {
  /** Time since the start of the run. */
  readonly atMs: Ms;
  /** Time from the death until the bot ran again; undefined if it did not. */
  readonly downMs: Ms | undefined;
  /** Orders that were open, with their times in force. */
  readonly openOrders: number;
  readonly openGtcOrders: number;
  /** Time until the guard sent its first cancel; undefined if it sent none. */
  readonly guardActedMs: Ms | undefined;
  /** Time until no order was open; undefined if one was when the bot came back. */
  readonly ordersGoneMs: Ms | undefined;
  readonly filledWhileDeadLots: number;
  /** Loss of equity until the bot came back, above 0 for a loss. */
  readonly lossWhileDeadScaled: bigint;
}

/** One line of a run's time line. */
export interface RehearsedMoment {
  /** Time since the start of the run. */
  readonly atMs: Ms;
  readonly kind: "fault" | "halt" | "fill" | "rung" | "guard" | "bot";
  readonly text: string;
}

/** One run of the bot: one seed under one kind of fault. Money is in credit units. */
export interface RehearsedRun {
  readonly seed: number;
  readonly fault: RehearsedFault;
  /** Number of strikes; a run without one says nothing about its fault. */
  readonly strikes: number;
  /** Change of equity at the exchange's own marks, hedge accounts included. */
  readonly profitScaled: bigint;
  /** Largest fall of equity from its peak. */
  readonly worstDrawdownScaled: bigint;
  /** Summed over quoted markets: the market was open, and no order of the bot at the exchange. */
  readonly unquotedMs: Ms;
  /** Length of the run. */
  readonly marketMs: Ms;
  /** Number of markets that the bot quotes. */
  readonly markets: number;
  /** Orders that the exchange received from the bot. */
  readonly orders: number;
  /** Cancels that the exchange received from the bot. */
  readonly cancels: number;
  /** Tokens of the exchange's rate limits that the bot's requests cost. */
  readonly tokens: { readonly common: number; readonly order: number };
  /** Answers 429, of the exchange's own limits and of the fault. */
  readonly refusals429: number;
  readonly deaths: readonly RehearsedDeath[];
  readonly halts: readonly RehearsedHalt[];
  readonly rungs: readonly RehearsedRung[];
  readonly fills: number;
  readonly turnoverScaled: bigint;
  /** Commissions of these fills: those of hedges and of the stop are not among them. */
  readonly feesScaled: bigint;
  /** Sum over fills of the distance from the true price just before it; above 0 for a gain. */
  readonly edgeScaled: bigint;
  /** Largest position of either side, by market. */
  readonly largestPositionLots: Readonly<Record<string, number>>;
  /** Largest order that was open, by market. */
  readonly largestOrderLots: Readonly<Record<string, number>>;
  /** Time with open quotes on a reference that had been silent for 5 s or more. */
  readonly quotesOnStaleReferenceMs: Ms;
  /** Time with a position beyond the hedge's band for longer than the file allows. */
  readonly unhedgedMs: Ms;
  /** Orders of the bot that were open after its stop. */
  readonly ordersLeftOpen: number;
  /** The error with which the bot ended. */
  readonly error: string | undefined;
  /** Everything that happened, in order; only of a run that is printed in detail. */
  readonly timeline: readonly RehearsedMoment[] | undefined;
}

/** A kind of fault that does not apply to a bot's file. */
export interface UnrehearsedFault {
  readonly fault: RehearsedFault;
  /** A phrase: `the file has no hedge`. */
  readonly reason: string;
}

/** All runs of a rehearsal. */
export interface Rehearsal {
  /** Path of the bot's file, as it was given. */
  readonly bot: string;
  readonly seeds: readonly number[];
  /** Length of each run. */
  readonly marketMs: Ms;
  /** Decimals of a credit unit. */
  readonly decimals: number;
  /**
   * Equity of the account at the start of each run, in credit units. Its hedge accounts do not
   * count: their credit is only there so that no hedge fails for want of it.
   */
  readonly equityScaled: bigint;
  readonly runsGuard: boolean;
  /** The exchange's limit of ORDER tokens a minute; undefined if it has none. */
  readonly orderTokensPerMinute: number | undefined;
  /** Sentences about the market and what is left out. */
  readonly notes: readonly string[];
  readonly notRehearsed: readonly UnrehearsedFault[];
  /** By seed, then in the order of the faults; `none` first. */
  readonly runs: readonly RehearsedRun[];
  /** False if it was interrupted: some runs are missing. */
  readonly isComplete: boolean;
}
