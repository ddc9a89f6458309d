import type { LedgerCounts } from "./ledger-counts.js";
import type { Opportunity, OpportunityOutcome } from "./opportunity.js";

/** Counts the opportunities of a run by what became of them, each once, and what they earned. */
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
  /** Those among the ended that this run has counted. */
  readonly #countedEnds = new Set<string>();
  #profitQuote = 0n;
  #gasWei = 0n;

  /** A new one is heard of. @returns how many that makes. */
  seen(): number {
    this.#counts.seen += 1;
    return this.#counts.seen;
  }

  /** One that was seen is confirmed. */
  confirmed(): void {
    this.#counts.confirmed += 1;
  }

  /** One of an earlier run goes on in this one. */
  takenUp({ confirmedBlock }: Opportunity): void {
    this.#counts.seen += 1;
    if (confirmedBlock !== undefined) this.#counts.confirmed += 1;
  }

  /** It has come to an end, or to another end than it had. @param before as it was until now. */
  ended(before: Opportunity, outcome: Exclude<OpportunityOutcome, "open">): void {
    if (before.outcome !== "open") {
      if (this.#countedEnds.has(before.id)) this.#counts[before.outcome] -= 1;
      else this.takenUp(before);
    }
    this.#counts[outcome] += 1;
    this.#countedEnds.add(before.id);
  }

  /** Its end was none. @param before as it was until now. */
  reopened(before: Opportunity): void {
    if (before.outcome !== "open" && this.#countedEnds.delete(before.id))
      this.#counts[before.outcome] -= 1;
    else this.takenUp(before);
  }

  /** It is not kept at hand any more, and keeps its count. */
  forget(id: string): void {
    this.#countedEnds.delete(id);
  }

  /** What it earned and cost has changed. */
  money(before: Opportunity, after: Opportunity): void {
    this.#profitQuote += (after.profitQuote ?? 0n) - (before.profitQuote ?? 0n);
    this.#gasWei += (after.gasWei ?? 0n) - (before.gasWei ?? 0n);
  }

  /** The counts, with what is open at this moment. */
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
