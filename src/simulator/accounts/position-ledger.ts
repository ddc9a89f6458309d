import type { CreditUnits, Ms } from "../../core/units.js";
import { type PositionFill, PositionState } from "./position-state.js";

/** A change of a position that is not yet part of the settled state. */
export interface LedgerEntry {
  /** Its number among all changes of its position. */
  readonly number: number;
  readonly change: PositionFill | { readonly funding: CreditUnits; readonly timeMs: Ms };
  settled: boolean;
}

/**
 * A ledger as plain values, for a store. Pending entries are missing; they are stored with their
 * matches.
 */
export interface LedgerSnapshot {
  readonly matched: Readonly<PositionState>;
  readonly settled: Readonly<PositionState>;
  readonly nextNumber: number;
  /** Settled changes that follow an unsettled one. */
  readonly behind: readonly LedgerEntry[];
}

/**
 * A position in two states: as matched, for risk and net value, and as settled, as the contracts
 * hold it. A failed settlement is removed and the later changes are applied again, so that the
 * failure leaves no trace in the figures of the other trades.
 */
export class PositionLedger {
  #matched = new PositionState();
  #settled = new PositionState();
  /** Oldest first; the first one is never settled. */
  #entries: LedgerEntry[] = [];
  #nextNumber = 1;

  get matched(): Readonly<PositionState> {
    return this.#matched;
  }

  /** True if there is no position and no pending change that could bring one back. */
  get isFlat(): boolean {
    return this.#matched.paper === 0n && this.#settled.paper === 0n && this.#entries.length === 0;
  }

  get settled(): Readonly<PositionState> {
    return this.#settled;
  }

  /**
   * Applies a match.
   * @returns the entry to settle or to fail, and the profit of the closed part.
   */
  match(change: PositionFill): { entry: LedgerEntry; realizedPnl: CreditUnits } {
    const entry = this.#add(change, false);
    return { entry, realizedPnl: this.#matched.fill(change) };
  }

  /**
   * Marks the next match as part of this entry's transaction: a position that reaches zero between
   * the two is not realised.
   */
  continueAfter({ change }: LedgerEntry): void {
    if (!("paper" in change)) {
      return;
    }
    change.continues = true;
    if (this.#matched.paper === 0n) {
      this.#rematch();
    }
  }

  /** Books funding on the matched position. It is final at once. */
  fund(funding: CreditUnits, timeMs: Ms): void {
    this.#matched.fund(funding, timeMs);
    this.#add({ funding, timeMs }, true);
    this.#fold();
  }

  /** Settles an entry that the chain confirmed. */
  settle(entry: LedgerEntry): void {
    entry.settled = true;
    this.#fold();
  }

  /**
   * Applies a change on chain that was not matched here, before all pending entries.
   * @returns the profit of the closed part
   */
  applySettled(change: LedgerEntry["change"]): CreditUnits {
    const realizedPnl = applyTo(this.#settled, change);
    this.#rematch();
    return realizedPnl;
  }

  /** Removes an entry that failed to settle and computes the matched position again without it. */
  fail(entry: LedgerEntry): void {
    const place = this.#entries.indexOf(entry);
    if (place < 0) {
      return;
    }
    this.#entries.splice(place, 1);
    this.#rematch();
    this.#fold();
  }

  snapshot(): LedgerSnapshot {
    const behind = this.#entries.filter(({ settled }) => settled);
    return { matched: this.#matched, settled: this.#settled, nextNumber: this.#nextNumber, behind };
  }

  /**
   * Restores a {@link snapshot}.
   * @param waiting the entries that are not settled yet.
   */
  restore(
    { matched, settled, nextNumber, behind }: LedgerSnapshot,
    waiting: readonly LedgerEntry[],
  ): void {
    this.#matched = Object.assign(new PositionState(), matched);
    this.#settled = Object.assign(new PositionState(), settled);
    this.#nextNumber = nextNumber;
    this.#entries = [...behind, ...waiting].sort((a, b) => a.number - b.number);
  }

  #add(change: LedgerEntry["change"], settled: boolean): LedgerEntry {
    const entry: LedgerEntry = { number: this.#nextNumber, change, settled };
    this.#nextNumber += 1;
    this.#entries.push(entry);
    return entry;
  }

  /** Computes the matched position from the settled one and all pending entries. */
  #rematch(): void {
    this.#matched = this.#settled.clone();
    for (const { change } of this.#entries) {
      applyTo(this.#matched, change);
    }
  }

  #fold(): void {
    let count = 0;
    for (let entry = this.#entries[0]; entry?.settled; entry = this.#entries[count]) {
      applyTo(this.#settled, entry.change);
      count += 1;
    }
    if (count > 0) {
      this.#entries.splice(0, count);
    }
  }
}

function applyTo(state: PositionState, change: LedgerEntry["change"]): CreditUnits {
  if ("funding" in change) {
    state.fund(change.funding, change.timeMs);
    return 0n;
  }
  return state.fill(change);
}
