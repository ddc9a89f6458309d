import type { Ms } from "../../core/units.js";
import type { VenueIncome } from "../../exchange/records.js";

/**
 * The account's incomes, each counted once however often and in whatever order they are reported.
 * Incomes that will not be queried again are forgotten.
 */
export class IncomeLedger {
  /**
   * Times by the key that distinguishes incomes: an exchange may write several of one event under
   * its id.
   */
  readonly #timesMs = new Map<string, Ms>();
  #count = 0;
  #floorMs: Ms = Number.NEGATIVE_INFINITY;
  #lastMs: Ms = Number.NEGATIVE_INFINITY;
  /** Time up to which the exchange has listed incomes. */
  #listedToMs: Ms = Number.NEGATIVE_INFINITY;

  /** Excludes incomes before this instant. */
  begin(fromMs: Ms): void {
    this.#floorMs = fromMs;
    this.#lastMs = Math.max(this.#lastMs, fromMs);
    this.#listedToMs = fromMs;
  }

  /** Applies an income. Returns false if it was known, or is older than the ledger. */
  income({ id, type, amount, timeMs }: VenueIncome): boolean {
    const key = `${id} ${type} ${amount}`;
    if (timeMs < this.#floorMs || this.#timesMs.has(key)) return false;
    this.#timesMs.set(key, timeMs);
    this.#count += 1;
    this.#lastMs = Math.max(this.#lastMs, timeMs);
    return true;
  }

  /** Grows with every applied income. */
  get count(): number {
    return this.#count;
  }

  /** Returns true if an income is older than the ledger. */
  isEarlier({ timeMs }: Pick<VenueIncome, "timeMs">): boolean {
    return timeMs < this.#floorMs;
  }

  /**
   * Start time of the next query, inclusive: some time before the last known income, or before the
   * first that was never listed.
   */
  nextQueryFromMs(): Ms {
    return Math.max(this.#floorMs, this.#knownToMs - OVERLAP_MS);
  }

  /**
   * Exchange time up to which the exchange has listed incomes; at least the start of the ledger.
   */
  get listedToMs(): Ms {
    return this.#listedToMs;
  }

  /**
   * Records the exchange time up to which everything is listed, and forgets incomes that will not
   * be queried again.
   */
  listed(toMs: Ms): void {
    this.#listedToMs = Math.max(this.#listedToMs, toMs);
    const floorMs = this.#knownToMs - 2 * OVERLAP_MS;
    if (floorMs <= this.#floorMs) return;
    this.#floorMs = floorMs;
    for (const [key, timeMs] of this.#timesMs) if (timeMs < floorMs) this.#timesMs.delete(key);
  }

  /** The last income on a stream is no bound: the stream may have lost earlier ones. */
  get #knownToMs(): Ms {
    return Math.min(this.#lastMs, this.#listedToMs);
  }
}

/** Overlap of queries with the last known income, since incomes may be listed late. */
const OVERLAP_MS = 60_000;
