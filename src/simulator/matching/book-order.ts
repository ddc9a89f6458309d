import type { QueuePlace } from "../../core/queue/queue-models.js";
import type { Lots, Side, Ticks } from "../../core/units.js";

/** An order as the book sees it: a place in the queue of one price. */
export abstract class BookOrder {
  /** Not yet matched, cancelled or expired. */
  openLots: Lots;
  /** True while it is in the book. The ladder alone sets it, and the neighbours in the queue. */
  isResting = false;
  previous: BookOrder | null = null;
  next: BookOrder | null = null;
  /**
   * Its place behind the recorded lots of its price; null where the market has no recording under
   * it.
   */
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
