import type { QueuePlace } from "../../core/queue/queue-models.js";
import type { Lots, Side, Ticks } from "../../core/units.js";
import type { PriceLevel } from "./price-level.js";

/** An order as the book sees it: a place in the queue of one price. */
export abstract class BookOrder {
  /** Not yet matched, cancelled or expired. */
  openLots: Lots;
  /** The queue that it stands in; null while it is not in the book. Kept by {@link PriceLevel}. */
  level: PriceLevel | null = null;
  previous: BookOrder | null = null;
  next: BookOrder | null = null;
  /** Its place behind the recorded lots of its price; null where the market has no recording under it. */
  queue: QueuePlace | null = null;

  constructor(
    readonly side: Side,
    readonly ticks: Ticks,
    readonly lots: Lots,
  ) {
    this.openLots = lots;
  }

  /** Who must not trade with itself; null for those that may. */
  abstract get selfMatchKey(): object | null;
}
