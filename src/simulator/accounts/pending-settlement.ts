import type { CreditUnits, Int64Id, Ms } from "../../core/units.js";
import type { Trade } from "../markets/market.js";
import type { Order, UserTrade } from "./account.js";
import type { LedgerEntry } from "./position-ledger.js";

/** One side of a match that waits for its settlement. */
export interface PendingSide {
  readonly record: UserTrade;
  /** null for the house. */
  readonly order: Order | null;
  readonly entry: LedgerEntry;
}

/** A match that waits for its settlement. */
export interface PendingSettlement {
  readonly trade: Trade;
  /** The maker's first: the order in which they are resolved. */
  readonly sides: readonly PendingSide[];
  /** Fees of both sides, which a failure gives back. */
  readonly fees: CreditUnits;
  /** Wall time of its settlement; where a chain settles, of the match. */
  readonly dueMs: Ms;
  /** The first trade of all that settle together with it; absent where each settles by itself. */
  readonly sweepId?: Int64Id;
}
