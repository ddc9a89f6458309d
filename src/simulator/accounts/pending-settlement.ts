import type { CreditUnits, Int64Id, Ms } from "../../core/units.js";
import type { Trade } from "../markets/market.js";
import type { Order, UserTrade } from "./account.js";
import type { LedgerEntry } from "./position-ledger.js";

/** One side of a match that is waiting for settlement. */
export interface PendingSide {
  readonly record: UserTrade;
  /** null for the house. */
  readonly order: Order | null;
  readonly entry: LedgerEntry;
}

/** A match that is waiting for settlement. */
export interface PendingSettlement {
  readonly trade: Trade;
  /** The maker's side first: the order in which they are resolved. */
  readonly sides: readonly PendingSide[];
  /** Fees of both sides, which are returned if settlement fails. */
  readonly fees: CreditUnits;
  /** Wall time of settlement; where a chain settles, of the match. */
  readonly dueMs: Ms;
  /**
   * The first trade of all that settle in the same transaction; absent where each settles
   * separately.
   */
  readonly sweepId?: Int64Id;
}
