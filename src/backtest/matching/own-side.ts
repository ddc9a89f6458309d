import type { QueuePlace } from "../../core/queue/queue-models.js";
import type { Lots } from "../../core/units.js";
import { NO_KEY } from "../book/paged-book-side.js";
import type { ReplayOrder } from "./matcher.js";

/** One of our orders in the book, with its place in the queue of strangers at its price. */
export interface RestingOrder {
  readonly order: ReplayOrder;
  place: QueuePlace;
  /** Whether a book that tells of its price has said what stands ahead of it. */
  isQueuePlaceKnown: boolean;
  /** When it arrived, microseconds since 1970; Infinity where history does not tell what it met then, so that nothing that is told later shows whether it came to rest. */
  readonly arrivedUs: number;
}

/** Our orders at one price, oldest first. */
export interface OwnLevel {
  /** As `ReplaySide` counts prices. */
  readonly key: number;
  readonly orders: RestingOrder[];
  /** What strangers were shown with here when our places in the queue were last brought up to date. */
  shownLots: Lots;
  /** No recorded book has reached so far since an order of ours came here, or since the book was lost: who came meanwhile stands behind what the first one that does will show. */
  isDepthUnknown: boolean;
}

/** Our resting orders of one side, by price. */
export class OwnSide {
  /** Best first. */
  readonly levels: OwnLevel[] = [];
  #bestKey = NO_KEY;
  #worstKey = NO_KEY;

  /** Key of our best price; `NO_KEY` without an order. */
  get bestKey(): number {
    return this.#bestKey;
  }

  /** Key of our worst price; `NO_KEY` without an order. */
  get worstKey(): number {
    return this.#worstKey;
  }

  /** Puts an order behind ours at its price. @param shownLots what strangers show there now. */
  add(key: number, resting: RestingOrder, shownLots: Lots): void {
    let at = 0;
    while (at < this.levels.length && this.levels[at].key > key) at++;
    const isUnseen = !resting.isQueuePlaceKnown;
    const level = this.levels[at];
    if (level?.key !== key)
      this.levels.splice(at, 0, { key, orders: [resting], shownLots, isDepthUnknown: isUnseen });
    else {
      level.orders.push(resting);
      level.isDepthUnknown ||= isUnseen;
    }
    this.#noteEnds();
  }

  /** Takes an order out, wherever it stands. */
  remove(key: number, order: ReplayOrder): void {
    const at = this.levels.findIndex((level) => level.key === key);
    if (at < 0) return;
    const { orders } = this.levels[at];
    const place = orders.findIndex((resting) => resting.order === order);
    if (place >= 0) orders.splice(place, 1);
    if (orders.length > 0) return;
    this.levels.splice(at, 1);
    this.#noteEnds();
  }

  #noteEnds(): void {
    const { levels } = this;
    this.#bestKey = levels.length === 0 ? NO_KEY : levels[0].key;
    this.#worstKey = levels.length === 0 ? NO_KEY : levels[levels.length - 1].key;
  }
}
