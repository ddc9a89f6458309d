import type { CreditUnits, Ms } from "../../core/units.js";
import { type PositionFill, PositionState } from "./position-state.js";

/** A change of a position that is not yet folded into the settled state. */
export interface LedgerEntry {
  /** Its place among all changes that its position ever had. */
  readonly number: number;
  readonly change: PositionFill | { readonly funding: CreditUnits; readonly timeMs: Ms };
  settled: boolean;
}

/** A ledger as plain values, for a store: without the entries that wait for their settlement, which are kept with it. */
export interface LedgerSnapshot {
  readonly matched: Readonly<PositionState>;
  readonly settled: Readonly<PositionState>;
  readonly nextNumber: number;
  /** Settled changes that come after one which is not. */
  readonly behind: readonly LedgerEntry[];
}

/**
 * A position twice: as matched, which risk and net value go by, and as settled, which is what the contracts hold. A failed
 * settlement is taken out of the middle and the rest applied again, so that a failure leaves no trace in the figures of
 * the trades around it.
 */
export class PositionLedger {
  #matched = new PositionState();
  #settled = new PositionState();
  /** Oldest first; the head is never settled. */
  #entries: LedgerEntry[] = [];
  #nextNumber = 1;

  get matched(): Readonly<PositionState> {
    return this.#matched;
  }

  /** Whether there is no position and nothing that could still bring one back. */
  get isFlat(): boolean {
    return this.#matched.paper === 0n && this.#settled.paper === 0n && this.#entries.length === 0;
  }

  get settled(): Readonly<PositionState> {
    return this.#settled;
  }

  /** Applies a match. @returns what to settle or to fail, and the profit of what it closed. */
  match(change: PositionFill): { entry: LedgerEntry; realizedPnl: CreditUnits } {
    const entry = this.#add(change, false);
    return { entry, realizedPnl: this.#matched.fill(change) };
  }

  /**
   * What is matched next belongs to the transaction of this entry: what it brought to zero is not
   * realised (docs/reference/protocol.md#balance-changes).
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

  /** Books funding on the matched position, final at once. */
  fund(funding: CreditUnits, timeMs: Ms): void {
    this.#matched.fund(funding, timeMs);
    this.#add({ funding, timeMs }, true);
    this.#fold();
  }

  /** The chain confirmed an entry. */
  settle(entry: LedgerEntry): void {
    entry.settled = true;
    this.#fold();
  }

  /** Something happened on chain that nobody matched here, before everything that still waits. @returns the profit of what it closed */
  applySettled(change: LedgerEntry["change"]): CreditUnits {
    const realizedPnl = applyTo(this.#settled, change);
    this.#rematch();
    return realizedPnl;
  }

  /** The chain refused an entry: matched is what it would be without it. */
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

  /** Puts back what {@link snapshot} gave. @param waiting the entries whose settlement is still to come. */
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

  /** What is matched is what is settled, and then all that waits. */
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
