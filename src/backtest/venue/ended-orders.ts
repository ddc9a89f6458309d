import type { Ms } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";

/** A page of the history of orders is 500. */
const KEPT = 500;

/**
 * The newest ended orders of one market, as many as are queried afterwards. They are kept as
 * records, so that nothing else of an order stays in memory.
 */
export class EndedOrders {
  readonly #records: VenueOrder[] = [];
  readonly #endedMs: Ms[] = [];

  /** Adds an order that ended, not before the previous one. */
  add(record: VenueOrder, endedMs: Ms): void {
    this.#records.push(record);
    this.#endedMs.push(endedMs);
    if (this.#records.length <= 2 * KEPT) return;
    this.#records.splice(0, this.#records.length - KEPT);
    this.#endedMs.splice(0, this.#endedMs.length - KEPT);
  }

  /** Orders placed from `fromMs` to `toMs`, both included, in the order in which they ended. */
  placedWithin(fromMs: Ms, toMs: Ms): VenueOrder[] {
    const within: VenueOrder[] = [];
    // An order that ended earlier was placed earlier.
    for (let at = this.#records.length - 1; at >= 0 && (this.#endedMs[at] as Ms) >= fromMs; at--) {
      const record = this.#records[at] as VenueOrder;
      if (record.createdAtMs >= fromMs && record.createdAtMs <= toMs) within.push(record);
    }
    return within.reverse();
  }
}
