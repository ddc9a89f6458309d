import {
  type QueueModel,
  type QueuePlace,
  riskAverseQueue,
} from "../../core/queue/queue-models.js";
import { type Lots, oppositeSide, type Side, type Ticks } from "../../core/units.js";
import type { RecordedDepth } from "../flow/flow-market.js";
import type { BookOrder } from "./book-order.js";
import { PriceLadder } from "./price-ladder.js";

/** Called by the engine during a match. */
export interface EngineListener {
  /**
   * `lots` traded at `ticks`; both orders' `openLots` are already reduced. `maker` is null for
   * recorded liquidity.
   */
  onMatch(taker: BookOrder, maker: BookOrder | null, ticks: Ticks, lots: Lots): void;
  /** A resting order left the book because it would have traded with its owner's own order. */
  onSelfMatch(resting: BookOrder): void;
  /** The published amount at a price may have changed. */
  onLevel(side: Side, ticks: Ticks): void;
}

/** The fields of an order that decide its trades on arrival. */
type ArrivingOrder = Pick<BookOrder, "side" | "ticks" | "openLots" | "selfMatchKey">;

/** The order that is cancelled when two of one owner would trade. */
export type SelfMatchPolicy = "cancel-resting" | "cancel-incoming" | "cancel-both";

/** The outcome of the taking part of an order. */
type SweepEnd = "swept" | "self-match";

/**
 * Price-time matching on integer ticks: participants' orders, and under them the recorded depth of
 * a replayed market, whose levels come first at an equal price. Trades happen at the resting price.
 */
export class MatchingEngine {
  readonly bids = new PriceLadder("BUY");
  readonly asks = new PriceLadder("SELL");
  #recorded: RecordedDepth | null = null;
  #queue: QueueModel<QueuePlace> = riskAverseQueue;
  readonly #listener: EngineListener;
  readonly #selfMatch: SelfMatchPolicy;

  constructor(listener: EngineListener, selfMatch: SelfMatchPolicy) {
    this.#listener = listener;
    this.#selfMatch = selfMatch;
  }

  /** The recording under the participants' orders, if any. */
  get recorded(): RecordedDepth | null {
    return this.#recorded;
  }

  /** The model of participants' positions in the recorded queues. */
  get queueModel(): QueueModel<QueuePlace> {
    return this.#queue;
  }

  /**
   * Adds a recording under the participants' orders, which queue behind all recorded lots at their
   * prices.
   */
  attach(recorded: RecordedDepth, queue: QueueModel<QueuePlace> = riskAverseQueue): void {
    this.#recorded = recorded;
    this.#queue = queue;
    for (const ladder of [this.bids, this.asks]) {
      ladder.forEachLevel((level) => {
        for (let order = level.head; order !== null; order = order.next) {
          order.queue = queue.onAccept(recorded.lotsAt(order.side, order.ticks));
        }
        return true;
      });
    }
  }

  ladder(side: Side): PriceLadder {
    return side === "BUY" ? this.bids : this.asks;
  }

  /** The best published price of a side. */
  best(side: Side): Ticks | undefined {
    const own = this.ladder(side).best()?.ticks;
    const recorded = this.#recorded?.best(side);
    if (own === undefined || recorded === undefined) {
      return own ?? recorded;
    }
    return isBetter(side, recorded, own) ? recorded : own;
  }

  /** The published amount at a price: recorded and participants' together. */
  lotsAt(side: Side, ticks: Ticks): Lots {
    return this.ladder(side).lotsAt(ticks) + (this.#recorded?.lotsAt(side, ticks) ?? 0);
  }

  /** Visits the published levels of a side, best first, until `visit` returns false. */
  forEachLevel(side: Side, visit: (ticks: Ticks, lots: Lots) => boolean): void {
    const own: [Ticks, Lots][] = [];
    this.ladder(side).forEachLevel((level) => own.push([level.ticks, level.lots]) > 0);
    let place = 0;
    let going = true;
    this.#recorded?.forEachLevel(side, (ticks, lots) => {
      for (
        let mine = own[place];
        going && mine !== undefined && isBetter(side, mine[0], ticks);
        mine = own[place]
      ) {
        place += 1;
        going = visit(mine[0], mine[1]);
      }
      if (going) {
        const here = own[place];
        const together = here !== undefined && here[0] === ticks;
        place += together ? 1 : 0;
        going = visit(ticks, lots + (together ? here[1] : 0));
      }
      return going;
    });
    for (let mine = own[place]; going && mine !== undefined; mine = own[place]) {
      place += 1;
      going = visit(mine[0], mine[1]);
    }
  }

  /** True if an order of that side and price would trade on arrival. */
  crosses(side: Side, ticks: Ticks): boolean {
    const opposite = this.best(oppositeSide(side));
    return opposite !== undefined && reaches(side, ticks, opposite);
  }

  /** True if an order could trade in full on arrival, without its owner's own orders. */
  canFill(order: ArrivingOrder): boolean {
    const side = oppositeSide(order.side);
    const key = order.selfMatchKey;
    let missing = order.openLots;
    if (key === null || this.#selfMatch === "cancel-resting") {
      this.#recorded?.forEachLevel(side, (ticks, lots) => {
        missing -= reaches(order.side, order.ticks, ticks) ? lots : 0;
        return missing > 0 && reaches(order.side, order.ticks, ticks);
      });
    }
    let blocked = false;
    this.ladder(side).forEachLevel((level) => {
      if (missing <= 0 || blocked || !reaches(order.side, order.ticks, level.ticks)) {
        return false;
      }
      for (let resting = level.head; resting !== null; resting = resting.next) {
        const own = key !== null && resting.selfMatchKey === key;
        blocked ||= own && this.#selfMatch !== "cancel-resting";
        missing -= own || blocked ? 0 : resting.openLots;
      }
      return true;
    });
    if (key !== null && this.#selfMatch !== "cancel-resting") {
      // An own order stops the sweep, so recorded levels count only before it.
      const stop = this.#firstOwn(order);
      this.#recorded?.forEachLevel(side, (ticks, lots) => {
        const reached =
          reaches(order.side, order.ticks, ticks) &&
          (stop === undefined || !isBetter(side, stop, ticks));
        missing -= reached ? lots : 0;
        return reached && missing > 0;
      });
    }
    return missing <= 0;
  }

  #firstOwn(order: ArrivingOrder): Ticks | undefined {
    let found: Ticks | undefined;
    this.ladder(oppositeSide(order.side)).forEachLevel((level) => {
      for (
        let resting = level.head;
        resting !== null && found === undefined;
        resting = resting.next
      ) {
        found = resting.selfMatchKey === order.selfMatchKey ? level.ticks : undefined;
      }
      return found === undefined;
    });
    return found;
  }

  /** Matches an arriving order against every level that its price reaches. */
  sweep(order: BookOrder): SweepEnd {
    const side = oppositeSide(order.side);
    const ladder = this.ladder(side);
    while (order.openLots > 0) {
      const level = ladder.best();
      const recorded = this.#recorded?.best(side);
      if (
        recorded !== undefined &&
        (level === undefined || !isBetter(side, level.ticks, recorded))
      ) {
        if (!reaches(order.side, order.ticks, recorded)) {
          return "swept";
        }
        this.#takeRecorded(order, side, recorded);
        continue;
      }
      if (level === undefined || !reaches(order.side, order.ticks, level.ticks)) {
        return "swept";
      }
      const maker = level.head as BookOrder;
      const ticks = level.ticks;
      if (order.selfMatchKey !== null && maker.selfMatchKey === order.selfMatchKey) {
        if (this.#selfMatch !== "cancel-incoming") {
          this.remove(maker);
          this.#listener.onSelfMatch(maker);
        }
        if (this.#selfMatch !== "cancel-resting") {
          return "self-match";
        }
        continue;
      }
      const lots = Math.min(order.openLots, maker.openLots);
      order.openLots -= lots;
      ladder.reduce(maker, lots);
      this.#listener.onLevel(side, ticks);
      this.#listener.onMatch(order, maker, ticks, lots);
    }
    return "swept";
  }

  #takeRecorded(order: BookOrder, side: Side, ticks: Ticks): void {
    const depth = this.#recorded as RecordedDepth;
    const shown = depth.lotsAt(side, ticks);
    const lots = Math.min(order.openLots, shown);
    depth.take(side, ticks, lots);
    this.requeue(side, ticks, shown, shown - lots);
    order.openLots -= lots;
    this.#listener.onLevel(side, ticks);
    this.#listener.onMatch(order, null, ticks, lots);
  }

  /** Updates the queue positions of the orders at a price whose recorded amount changed. */
  requeue(side: Side, ticks: Ticks, oldLots: Lots, newLots: Lots): void {
    for (
      let order = this.ladder(side).levelAt(ticks)?.head ?? null;
      order !== null;
      order = order.next
    ) {
      order.queue =
        order.queue === null ? null : this.#queue.onDepth(order.queue, oldLots, newLots);
    }
  }

  /** Adds the open part of an order to the book, last in the queue of its price. */
  rest(order: BookOrder): void {
    order.queue =
      this.#recorded === null
        ? null
        : this.#queue.onAccept(this.#recorded.lotsAt(order.side, order.ticks));
    this.ladder(order.side).add(order);
    this.#listener.onLevel(order.side, order.ticks);
  }

  /** Removes an order from the book; its `openLots` stay. */
  remove(order: BookOrder): void {
    if (order.isResting) {
      this.ladder(order.side).remove(order);
      this.#listener.onLevel(order.side, order.ticks);
    }
  }
}

/** True if `a` is the better resting price of that side. */
export function isBetter(side: Side, a: Ticks, b: Ticks): boolean {
  return side === "BUY" ? a > b : a < b;
}

/** True if an order of `side` limited to `limit` may trade at `price`. */
function reaches(side: Side, limit: Ticks, price: Ticks): boolean {
  return side === "BUY" ? price <= limit : price >= limit;
}
