import type { QueuePlace } from "../../core/queue/queue-models.js";
import type { Lots } from "../../core/units.js";
import { NO_KEY } from "../book/paged-book-side.js";
import type { ReplayOrder } from "./matcher.js";

/**
 * One of our orders in the book, with its position in the queue of other participants at its price.
 */
export interface RestingOrder {
  readonly order: ReplayOrder;
  place: QueuePlace;
  /** True if a book with its price has shown the queue ahead of it. */
  isQueuePlaceKnown: boolean;
  /**
   * When it arrived, microseconds since 1970. Infinity where history does not show what it met
   * then: later data cannot show whether it rested.
   */
  readonly arrivedUs: number;
}

/** Our orders at one price, oldest first. */
export interface OwnLevel {
  /** As `PagedBookSide` counts prices. */
  readonly key: number;
  readonly orders: RestingOrder[];
  /** Size that other participants displayed here when our queue positions were last updated. */
  shownLots: Lots;
  /**
   * True if no recorded book has reached this depth since an order of ours arrived here, or since
   * the book was lost. Participants who came meanwhile are behind the size that the first such book
   * shows.
   */
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

  /**
   * Puts an order behind ours at its price.
   * @param shownLots size that other participants display there now.
   */
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

  /** Removes an order, wherever it is in the queue. */
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
