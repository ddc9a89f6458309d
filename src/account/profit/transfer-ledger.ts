import type { CreditUnits, Int64Id, Ms } from "../../core/units.js";
import type { VenueIncome } from "../../exchange/records.js";

/** The incomes that move money in and out: in the net value, not in the profit. */
export const TRANSFER_TYPES = ["DEPOSIT", "WITHDRAWAL"] as const;

/** What an earlier run had counted of deposits and withdrawals. */
export interface CountedTransfers {
  /** Exchange time: transfers from here on are counted only where they are named. */
  readonly sinceMs: Ms;
  /** Transfers from then on that were counted all the same. */
  readonly ids: readonly Int64Id[];
}

/** How long a transfer may take until the stream or a reconciliation tells it. */
const REPORTED_WITHIN_MS: Ms = 60_000;

/** Whether an income is a deposit or a withdrawal. */
export function isTransfer({ type }: Pick<VenueIncome, "type">): boolean {
  return TRANSFER_TYPES.some((transfer) => transfer === type);
}

/**
 * Deposits and withdrawals, each counted once: those between an earlier run's memory and the confirmed start of this one by their sum,
 * later ones by the profit. A loss from a peak that is remembered means nothing without them.
 */
export class TransferLedger {
  readonly #before: CountedTransfers | undefined;
  readonly #counted = new Map<Int64Id, Ms>();
  /** From here on every transfer is either counted or still to come; undefined before anything is known. */
  #fromMs: Ms | undefined;
  /** Ids of transfers before are forgotten. */
  #forgottenToMs: Ms = Number.NEGATIVE_INFINITY;
  #earlier: CreditUnits = 0n;
  #beganAtMs: Ms = Number.POSITIVE_INFINITY;

  /** @param before undefined where no earlier run is remembered: nothing of the time before this run is asked for. */
  constructor(before: CountedTransfers | undefined) {
    this.#before = before;
    this.#fromMs = before?.sinceMs;
    if (before === undefined) return;
    // Their times are not remembered: none was later than when they were written down.
    for (const id of before.ids) this.#counted.set(id, before.sinceMs + REPORTED_WITHIN_MS);
  }

  /** From when on transfers have to be asked for; undefined where none do. */
  get queryFromMs(): Ms | undefined {
    return this.#before?.sinceMs;
  }

  /** This run's profit begins with a net value told at this exchange time: where nothing is remembered, what came before is in that. */
  begin(atMs: Ms): void {
    this.#beganAtMs = atMs;
    if (this.#before === undefined) this.#fromMs = atMs;
  }

  /** Whether every transfer of before this run's profit is told by now. @param nowMs exchange time. */
  areAllReported(nowMs: Ms): boolean {
    return nowMs >= this.#beganAtMs + REPORTED_WITHIN_MS;
  }

  /** Signed sum of the transfers since the earlier run's memory that came before this run's profit begins. */
  get earlier(): CreditUnits {
    return this.#earlier;
  }

  /** A transfer of before the profit's beginning, or told before it; one that was counted changes nothing. */
  noteEarlier({ id, timeMs, amount }: Pick<VenueIncome, "id" | "timeMs" | "amount">): void {
    if (timeMs < (this.#fromMs ?? timeMs) || timeMs < this.#forgottenToMs) return;
    if (!this.#counted.has(id) && this.#fromMs !== undefined) this.#earlier += amount;
    this.#counted.set(id, timeMs);
  }

  /** A transfer that the profit counts. */
  note({ id, timeMs }: Pick<VenueIncome, "id" | "timeMs">): void {
    this.#counted.set(id, timeMs);
  }

  /** What is counted as of now, to be remembered for the next run. @param nowMs exchange time. */
  counted(nowMs: Ms): CountedTransfers {
    const sinceMs = Math.max(nowMs - REPORTED_WITHIN_MS, this.#fromMs ?? Number.NEGATIVE_INFINITY);
    this.#forgottenToMs = sinceMs;
    for (const [id, timeMs] of this.#counted) if (timeMs < sinceMs) this.#counted.delete(id);
    return { sinceMs, ids: [...this.#counted.keys()] };
  }
}
