import type { Hex, Ms } from "../../core/units.js";
import {
  type AccountMarket,
  ExchangeAccount,
  type PendingWithdrawal,
  type Retention,
} from "../accounts/account.js";
import type { LedgerSnapshot } from "../accounts/position-ledger.js";
import type { PositionState } from "../accounts/position-state.js";
import { readFields, type WrittenFields, writeFields } from "./plain-fields.js";
import { type EntryRecord, readEntry, writeEntry } from "./trade-record.js";

/** An account's own fields; its orders, positions and lists have separate records. */
export interface AccountRecord {
  readonly account: WrittenFields;
  readonly operators: readonly Hex[];
  readonly pendingWithdrawal: WrittenFields | null;
}

export function writeAccount(account: ExchangeAccount): AccountRecord {
  const { pendingWithdrawal, ...fields } = account;
  return {
    account: writeFields(fields),
    operators: [...account.operators],
    pendingWithdrawal: pendingWithdrawal === null ? null : writeFields(pendingWithdrawal),
  };
}

/** Creates the account of a record. */
export function restoreAccount(record: AccountRecord, retention: Retention): ExchangeAccount {
  const { address, createdAtMs } = readFields<{ address: Hex; createdAtMs: Ms }>(record.account);
  return assignAccount(new ExchangeAccount(address, createdAtMs, retention), record);
}

/** Sets an account's fields from a record. */
export function assignAccount(
  account: ExchangeAccount,
  { account: fields, operators, pendingWithdrawal }: AccountRecord,
): ExchangeAccount {
  Object.assign(account, readFields<Partial<ExchangeAccount>>(fields));
  account.pendingWithdrawal =
    pendingWithdrawal === null ? null : readFields<PendingWithdrawal>(pendingWithdrawal);
  account.operators.clear();
  for (const operator of operators) {
    account.operators.add(operator);
  }
  return account;
}

/** A position without its pending changes, which are stored with their matches. */
export interface PositionRecord {
  readonly matched: WrittenFields;
  readonly settled: WrittenFields;
  readonly nextNumber: number;
  readonly behind: readonly EntryRecord[];
  /** Absent until it is set, and in records of earlier versions. */
  readonly leverage?: number;
}

export function writePosition({
  position,
  leverage,
}: Pick<AccountMarket, "position" | "leverage">): PositionRecord {
  const { matched, settled, nextNumber, behind } = position.snapshot();
  return {
    matched: writeFields(matched),
    settled: writeFields(settled),
    nextNumber,
    behind: behind.map(writeEntry),
    ...(leverage === null ? {} : { leverage }),
  };
}

export function readPosition({
  matched,
  settled,
  nextNumber,
  behind,
}: PositionRecord): LedgerSnapshot {
  return {
    matched: readFields<PositionState>(matched),
    settled: readFields<PositionState>(settled),
    nextNumber,
    behind: behind.map(readEntry),
  };
}
