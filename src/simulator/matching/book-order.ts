import type { QueuePlace } from "../../core/queue/queue-models.js";
import type { Lots, Side, Ticks } from "../../core/units.js";

/** An order as the book sees it: a place in the queue of one price. */
export abstract class BookOrder {
  /** Lots that are not yet matched, cancelled or expired. */
  openLots: Lots;
  /** True while it is in the book. Only the ladder sets it, and the neighbours in the queue. */
  isResting = false;
  previous: BookOrder | null = null;
  next: BookOrder | null = null;
  /** Its position behind the recorded lots of its price; null if the market has no recording. */
  queue: QueuePlace | null = null;

  constructor(
    readonly side: Side,
    readonly ticks: Ticks,
    readonly lots: Lots,
  ) {
    this.openLots = lots;
  }

  /** The owner that must not trade with itself; null if it may. */
  abstract get selfMatchKey(): object | null;
}
