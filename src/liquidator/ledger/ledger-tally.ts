import type { LedgerCounts } from "./ledger-counts.js";
import type { Opportunity, OpportunityOutcome } from "./opportunity.js";

/** Counts the opportunities of a run by outcome, each once, and sums their profit. */
export class LedgerTally {
  readonly #counts: Record<"seen" | "confirmed" | Exclude<OpportunityOutcome, "open">, number> = {
    seen: 0,
    confirmed: 0,
    won: 0,
    lost: 0,
    unprofitable: 0,
    reverted: 0,
    refused: 0,
    cured: 0,
    "dry-run": 0,
  };
  /** Ended opportunities that this run has counted. */
  readonly #countedEnds = new Set<string>();
  #profitQuote = 0n;
  #gasWei = 0n;

  /** Counts a new opportunity. @returns the count so far. */
  seen(): number {
    this.#counts.seen += 1;
    return this.#counts.seen;
  }

  /** Counts an opportunity as confirmed. */
  confirmed(): void {
    this.#counts.confirmed += 1;
  }

  /** Counts an opportunity that an earlier run left open. */
  takenUp({ confirmedBlock }: Opportunity): void {
    this.#counts.seen += 1;
    if (confirmedBlock !== undefined) this.#counts.confirmed += 1;
  }

  /**
   * Counts an outcome, or moves an opportunity from an earlier outcome to this one. @param before
   * its state until now.
   */
  ended(before: Opportunity, outcome: Exclude<OpportunityOutcome, "open">): void {
    if (before.outcome !== "open") {
      if (this.#countedEnds.has(before.id)) this.#counts[before.outcome] -= 1;
      else this.takenUp(before);
    }
    this.#counts[outcome] += 1;
    this.#countedEnds.add(before.id);
  }

  /** Takes back an outcome after a reorg. @param before its state until now. */
  reopened(before: Opportunity): void {
    if (before.outcome !== "open" && this.#countedEnds.delete(before.id))
      this.#counts[before.outcome] -= 1;
    else this.takenUp(before);
  }

  /** Stops tracking an opportunity; its count stays. */
  forget(id: string): void {
    this.#countedEnds.delete(id);
  }

  /** Applies a change of profit and cost. */
  money(before: Opportunity, after: Opportunity): void {
    this.#profitQuote += (after.profitQuote ?? 0n) - (before.profitQuote ?? 0n);
    this.#gasWei += (after.gasWei ?? 0n) - (before.gasWei ?? 0n);
  }

  /** Returns the counts, with the opportunities that are open now. */
  counts(open: readonly Opportunity[]): LedgerCounts {
    const { seen, confirmed, won, lost, reverted, refused, cured } = this.#counts;
    const rehearsed = open.filter(({ isRehearsed }) => isRehearsed === true).length;
    const short = open.filter(
      ({ isRehearsed, shortOfQuote }) => isRehearsed !== true && shortOfQuote !== undefined,
    ).length;
    return {
      seen,
      confirmed,
      won,
      lost,
      unprofitable: this.#counts.unprofitable + short,
      reverted,
      refused,
      cured,
      wouldAct: this.#counts["dry-run"] + rehearsed,
      open: open.length - short - rehearsed,
      profitQuote: this.#profitQuote,
      gasWei: this.#gasWei,
    };
  }
}
