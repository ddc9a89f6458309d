import type { Ms } from "../core/units.js";
import { AccountBooks } from "./account-books.js";
import type { AccountEntry } from "./account-entry.js";
import type { BalanceCheckpoint } from "./balance-checkpoint.js";
import type { DaySpan } from "./days/read-days.js";
import type { LedgerFinding } from "./finding.js";
import { type AccountRecords, assembleEvents } from "./join/assemble-events.js";
import type { LedgerEvent } from "./ledger-event.js";
import type { MarketUnits } from "./market-units.js";
import { type BalanceDifference, intervalText, reconcileBalances } from "./reconcile-balances.js";

/** A period of time in UTC. */
export interface LedgerPeriod {
  /** Inclusive; undefined for the beginning of the account. */
  readonly fromMs: Ms | undefined;
  /** Exclusive; undefined for now. */
  readonly toMs: Ms | undefined;
}

/** The ledger of an account: all that happened to it, and what the exchange says that it lacks. */
export class AccountLedger {
  readonly units: MarketUnits;
  readonly events: readonly LedgerEvent[];
  readonly findings: readonly LedgerFinding[];
  /** Times of which no file has funding and transfers; undefined if the exchange was read. */
  readonly unrecorded: readonly DaySpan[] | undefined;
  /** Undefined if the exchange was not read. */
  readonly differences: readonly BalanceDifference[] | undefined;

  /** @param checkpoints balances of earlier exports, oldest first */
  constructor(records: AccountRecords, checkpoints: readonly BalanceCheckpoint[]) {
    const { events, findings } = assembleEvents(records);
    const { statement } = records;
    this.units = records.units;
    this.events = events;
    this.unrecorded = statement === undefined ? (records.incomes?.gaps ?? []) : undefined;
    const reconciled =
      statement === undefined ? undefined : reconcileBalances(events, statement, checkpoints);
    this.findings = [...findings, ...(reconciled?.findings ?? [])];
    this.differences = reconciled?.differences;
  }

  /** True if every balance is explained and no two records differ. */
  get isReconciled(): boolean {
    return this.findings.length === 0 && (this.differences ?? []).length === 0;
  }

  /**
   * The lines of a period, oldest first: its opening balances, then all that happened, then the
   * differences that arose in it. One line is in memory at a time.
   */
  *entries({ fromMs, toMs }: LedgerPeriod): Generator<AccountEntry, AccountBooks> {
    const books = new AccountBooks(this.units);
    const isIn = (timeMs: Ms): boolean =>
      timeMs >= (fromMs ?? Number.NEGATIVE_INFINITY) && timeMs < (toMs ?? Number.POSITIVE_INFINITY);
    let isOpen = fromMs === undefined;
    for (const event of this.events) {
      if (!isOpen && event.timeMs >= (fromMs as Ms)) {
        yield* books.opening(fromMs as Ms);
        isOpen = true;
      }
      if (toMs !== undefined && event.timeMs >= toMs) break;
      const lines = books.apply(event);
      if (isIn(event.timeMs)) yield* lines;
    }
    if (!isOpen) yield* books.opening(fromMs as Ms);
    for (const [at, difference] of (this.differences ?? []).entries()) {
      if (!isIn(difference.toMs)) continue;
      const { asset, amount, toMs: timeMs } = difference;
      const id = `difference.${at + 1}`;
      yield books.difference(asset, amount, { timeMs, id, detail: intervalText(difference) });
    }
    return books;
  }
}
