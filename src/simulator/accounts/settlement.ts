import type { Ms } from "../../core/units.js";
import type { PendingSettlement } from "./pending-settlement.js";

/** What became of a match. */
export interface SettlementOutcome {
  readonly pending: PendingSettlement;
  readonly isSettled: boolean;
}

/** Takes what became of matches, in the order in which they were made. */
export type OnSettlement = (outcomes: readonly SettlementOutcome[]) => void;

/** What makes matches final. It says of each once, at any later time and never at once, what became of it. */
export interface Settlement {
  /** How many matches of one taking order are settled together, all or none; with one, each by itself. */
  readonly maxMatchesTogether: number;
  /** After how long a trade among house agents, which nobody settles, counts as settled. */
  readonly houseDelayMs: Ms;
  /** What waits, the next due first. */
  readonly pending: readonly PendingSettlement[];
  /** Has matches of one taking order settled together. */
  add(matches: readonly PendingSettlement[]): void;
  /** Puts back a match that waited when the process ended. */
  restore(pending: PendingSettlement): void;
  /** Takes up what waited. */
  start(): void;
  /** Settles nothing until the next start. */
  stop(): void;
}
