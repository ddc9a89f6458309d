import type { CreditUnits, Int64Id, MarketId, Ms } from "../../core/units.js";
import type { UserTrade } from "../accounts/account.js";
import type { PendingSettlement } from "../accounts/pending-settlement.js";
import type { LedgerEntry } from "../accounts/position-ledger.js";
import type { Trade } from "../markets/market.js";
import { readFields, type WrittenFields, writeFields } from "./plain-fields.js";
import type { AccountKey } from "./record-keys.js";

/** A stored trade. */
export interface TradeRecord {
  readonly market: MarketId;
  readonly trade: WrittenFields;
}

/** An account's side of a trade, with the trade, which the market may have dropped already. */
export interface UserTradeRecord extends TradeRecord {
  readonly account: AccountKey;
  readonly side: WrittenFields;
}

/** A match that waits for its settlement. */
export interface PendingRecord extends TradeRecord {
  readonly pending: WrittenFields;
  readonly sides: readonly PendingSideRecord[];
}

interface PendingSideRecord {
  readonly account: AccountKey;
  readonly side: WrittenFields;
  /** null for the house. */
  readonly orderId: Int64Id | null;
  readonly entry: EntryRecord;
}

/** A change of a position that is not settled yet. */
export interface EntryRecord {
  readonly entry: WrittenFields;
  readonly change: WrittenFields;
}

export function writeTrade(trade: Trade): TradeRecord {
  return { market: trade.market.id, trade: writeFields(trade) };
}

export function writeUserTrade(side: UserTrade, account: AccountKey): UserTradeRecord {
  return { ...writeTrade(side.trade), account, side: writeFields(side) };
}

export function writePending(
  pending: PendingSettlement,
  keyOf: (side: UserTrade) => AccountKey,
): PendingRecord {
  return {
    ...writeTrade(pending.trade),
    pending: writeFields(pending),
    sides: pending.sides.map(({ record, order, entry }) => ({
      account: keyOf(record),
      side: writeFields(record),
      orderId: order?.terms.id ?? null,
      entry: writeEntry(entry),
    })),
  };
}

export function writeEntry(entry: LedgerEntry): EntryRecord {
  return { entry: writeFields(entry), change: writeFields(entry.change) };
}

export function readEntry({ entry, change }: EntryRecord): LedgerEntry {
  return {
    ...readFields<Omit<LedgerEntry, "change">>(entry),
    change: readFields<LedgerEntry["change"]>(change),
  };
}

/** The fields of a {@link PendingSettlement} other than its trade and its sides. */
export interface PendingTerms {
  readonly fees: CreditUnits;
  readonly dueMs: Ms;
}
