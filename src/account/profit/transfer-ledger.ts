import type { CreditUnits, Int64Id, Ms } from "../../core/units.js";
import type { VenueIncome } from "../../exchange/records.js";

/** The incomes that move money in and out: part of the net value, not of the profit. */
export const TRANSFER_TYPES = ["DEPOSIT", "WITHDRAWAL"] as const;

/** Deposits and withdrawals that an earlier run counted. */
export interface CountedTransfers {
  /** Exchange time from which a transfer counts as included only if `ids` names it. */
  readonly sinceMs: Ms;
  /** Included transfers from that time on. */
  readonly ids: readonly Int64Id[];
}

/** How long the stream or a reconciliation may take to report a transfer. */
const REPORTED_WITHIN_MS: Ms = 60_000;

/** Returns true for a deposit or a withdrawal. */
export function isTransfer({ type }: Pick<VenueIncome, "type">): boolean {
  return TRANSFER_TYPES.some((transfer) => transfer === type);
}

/**
 * Deposits and withdrawals, each counted once. Those between an earlier run's memory and the
 * confirmed start of this one are summed here; later ones are in the profit. A loss from a
 * remembered peak is meaningless without them.
 */
export class TransferLedger {
  readonly #before: CountedTransfers | undefined;
  readonly #counted = new Map<Int64Id, Ms>();
  /**
   * Time from which every transfer is either counted or still to come; undefined before anything is
   * known.
   */
  #fromMs: Ms | undefined;
  /** Ids of transfers before this time are forgotten. */
  #forgottenToMs: Ms = Number.NEGATIVE_INFINITY;
  #earlier: CreditUnits = 0n;
  #beganAtMs: Ms = Number.POSITIVE_INFINITY;

  /**
   * @param before undefined if no earlier run is remembered: then nothing before this run is
   * queried
   */
  constructor(before: CountedTransfers | undefined) {
    this.#before = before;
    this.#fromMs = before?.sinceMs;
    if (before === undefined) return;
    // Their times are not stored. None was later than the time of storing.
    for (const id of before.ids) this.#counted.set(id, before.sinceMs + REPORTED_WITHIN_MS);
  }

  /** Start time of the query for transfers; undefined if none is needed. */
  get queryFromMs(): Ms | undefined {
    return this.#before?.sinceMs;
  }

  /**
   * Starts this run's profit at a net value reported at this exchange time. Without a remembered
   * run, that value includes all earlier transfers.
   */
  begin(atMs: Ms): void {
    this.#beganAtMs = atMs;
    if (this.#before === undefined) this.#fromMs = atMs;
  }

  /**
   * Returns true if every transfer from before this run's profit has been reported by now.
   * @param nowMs exchange time
   */
  areAllReported(nowMs: Ms): boolean {
    return nowMs >= this.#beganAtMs + REPORTED_WITHIN_MS;
  }

  /**
   * Signed sum of the transfers between the earlier run's memory and the start of this run's
   * profit.
   */
  get earlier(): CreditUnits {
    return this.#earlier;
  }

  /**
   * Applies a transfer from before the profit's start, or reported before it. A counted one changes
   * nothing.
   */
  noteEarlier({ id, timeMs, amount }: Pick<VenueIncome, "id" | "timeMs" | "amount">): void {
    if (timeMs < (this.#fromMs ?? timeMs) || timeMs < this.#forgottenToMs) return;
    if (!this.#counted.has(id) && this.#fromMs !== undefined) this.#earlier += amount;
    this.#counted.set(id, timeMs);
  }

  /** Records a transfer that the profit counts. */
  note({ id, timeMs }: Pick<VenueIncome, "id" | "timeMs">): void {
    this.#counted.set(id, timeMs);
  }

  /**
   * The counted transfers as of now, to be stored for the next run.
   * @param nowMs exchange time
   */
  counted(nowMs: Ms): CountedTransfers {
    const sinceMs = Math.max(nowMs - REPORTED_WITHIN_MS, this.#fromMs ?? Number.NEGATIVE_INFINITY);
    this.#forgottenToMs = sinceMs;
    for (const [id, timeMs] of this.#counted) if (timeMs < sinceMs) this.#counted.delete(id);
    return { sinceMs, ids: [...this.#counted.keys()] };
  }
}
