import type { Ms } from "../../core/units.js";
import type { PendingSettlement } from "./pending-settlement.js";

/** The outcome of a match. */
export interface SettlementOutcome {
  readonly pending: PendingSettlement;
  readonly isSettled: boolean;
}

/** Receives the outcomes of matches in the order in which they were made. */
export type OnSettlement = (outcomes: readonly SettlementOutcome[]) => void;

/** Makes matches final. Reports the outcome of each match once, never synchronously. */
export interface Settlement {
  /**
   * The maximum number of matches of one taking order that settle together, all or none; 1 if each
   * settles separately.
   */
  readonly maxMatchesTogether: number;
  /**
   * The delay after which a trade among house agents, which has no settlement, counts as settled.
   */
  readonly houseDelayMs: Ms;
  /** Pending matches, next due first. */
  readonly pending: readonly PendingSettlement[];
  /** Settles matches of one taking order together. */
  add(matches: readonly PendingSettlement[]): void;
  /** Restores a match that was pending when the process ended. */
  restore(pending: PendingSettlement): void;
  /** Starts or resumes settlement. */
  start(): void;
  /** Stops settlement until the next start. */
  stop(): void;
}
