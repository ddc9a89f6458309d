import type { Ms } from "../../core/units.js";
import type { VenueIncome } from "../../exchange/records.js";

/** The account's incomes, each counted once however often and in whatever order they are told. Those that will not be asked for again are forgotten. */
export class IncomeLedger {
  /** By what tells incomes apart: an exchange may write several of one event under its id. */
  readonly #timesMs = new Map<string, Ms>();
  #count = 0;
  #floorMs: Ms = Number.NEGATIVE_INFINITY;
  #lastMs: Ms = Number.NEGATIVE_INFINITY;
  /** Up to here the exchange has listed them. */
  #listedToMs: Ms = Number.NEGATIVE_INFINITY;

  /** Incomes before this instant are not ours to count. */
  begin(fromMs: Ms): void {
    this.#floorMs = fromMs;
    this.#lastMs = Math.max(this.#lastMs, fromMs);
    this.#listedToMs = fromMs;
  }

  /** Takes an income in. False when it was known, or is older than the ledger. */
  income({ id, type, amount, timeMs }: VenueIncome): boolean {
    const key = `${id} ${type} ${amount}`;
    if (timeMs < this.#floorMs || this.#timesMs.has(key)) return false;
    this.#timesMs.set(key, timeMs);
    this.#count += 1;
    this.#lastMs = Math.max(this.#lastMs, timeMs);
    return true;
  }

  /** Grows with every income taken in. */
  get count(): number {
    return this.#count;
  }

  /** Whether an income is from before the ledger was begun. */
  isEarlier({ timeMs }: Pick<VenueIncome, "timeMs">): boolean {
    return timeMs < this.#floorMs;
  }

  /** Where to ask for incomes from, inclusive: a while before the last one known, or before what was never listed. */
  nextQueryFromMs(): Ms {
    return Math.max(this.#floorMs, this.#knownToMs - OVERLAP_MS);
  }

  /** Up to when the exchange has listed them, exchange time: to the beginning at least. */
  get listedToMs(): Ms {
    return this.#listedToMs;
  }

  /** Everything up to this instant has been listed, exchange time: forgets incomes that will not be asked for again. */
  listed(toMs: Ms): void {
    this.#listedToMs = Math.max(this.#listedToMs, toMs);
    const floorMs = this.#knownToMs - 2 * OVERLAP_MS;
    if (floorMs <= this.#floorMs) return;
    this.#floorMs = floorMs;
    for (const [key, timeMs] of this.#timesMs) if (timeMs < floorMs) this.#timesMs.delete(key);
  }

  /** What a stream tells last is no bound: it may have lost what came before. */
  get #knownToMs(): Ms {
    return Math.min(this.#lastMs, this.#listedToMs);
  }
}

/** Incomes may be listed later than they were made, and are asked for again from so long before the last one known. */
const OVERLAP_MS = 60_000;
