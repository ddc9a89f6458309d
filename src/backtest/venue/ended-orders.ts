import type { Ms } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";

/** A page of the history of orders is 500. */
const KEPT = 500;

/** Orders of one market that are over, as many as anybody asks for after the fact: as records, so that nothing else of an order outlives it. */
export class EndedOrders {
  readonly #records: VenueOrder[] = [];
  readonly #endedMs: Ms[] = [];

  /** Takes in one that ended at an instant that is not before the one before it. */
  add(record: VenueOrder, endedMs: Ms): void {
    this.#records.push(record);
    this.#endedMs.push(endedMs);
    if (this.#records.length <= 2 * KEPT) return;
    this.#records.splice(0, this.#records.length - KEPT);
    this.#endedMs.splice(0, this.#endedMs.length - KEPT);
  }

  /** What was placed from `fromMs` to `toMs`, both included, in the order in which it ended. */
  placedWithin(fromMs: Ms, toMs: Ms): VenueOrder[] {
    const within: VenueOrder[] = [];
    // What ended before was placed before.
    for (let at = this.#records.length - 1; at >= 0 && (this.#endedMs[at] as Ms) >= fromMs; at--) {
      const record = this.#records[at] as VenueOrder;
      if (record.createdAtMs >= fromMs && record.createdAtMs <= toMs) within.push(record);
    }
    return within.reverse();
  }
}
