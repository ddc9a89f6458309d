import type { FillCause, MatchListener, OrderEnd, ReplayOrder } from "#backtest/matcher.js";
import type { Lots, Side, Ticks } from "#core/units.js";

/** A fill reported to a listener. */
export interface HeardFill {
  readonly id: number;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly cause: FillCause;
  readonly atUs: number;
}

/**
 * A listener that records all events, and checks every order: its placed size is filled, open or
 * ended.
 */
export class Heard implements MatchListener {
  readonly fills: HeardFill[] = [];
  /** For each fill, true if it is ambiguous. */
  readonly doubts: boolean[] = [];
  readonly ends: {
    readonly id: number;
    readonly how: OrderEnd;
    readonly lots: Lots;
    readonly atUs: number;
  }[] = [];
  readonly orders: ReplayOrder[] = [];
  readonly #filledLots = new Map<number, Lots>();

  accepted(order: ReplayOrder): void {
    this.orders.push(order);
  }

  filled(
    order: ReplayOrder,
    ticks: Ticks,
    lots: Lots,
    cause: FillCause,
    atUs: number,
    isDoubtful: boolean,
  ): void {
    this.doubts.push(isDoubtful);
    this.fills.push({ id: order.id, ticks, lots, cause, atUs });
    this.#filledLots.set(order.id, this.filledLots(order.id) + lots);
    if (
      order.openLots !== order.lots - this.filledLots(order.id) ||
      order.openLots < 0 ||
      !(lots > 0)
    ) {
      throw new Error(
        `order ${order.id}: ${lots} lots filled, ${order.openLots} of ${order.lots} open`,
      );
    }
  }

  ended(order: ReplayOrder, how: OrderEnd, atUs: number): void {
    if (!(order.openLots > 0))
      throw new Error(`order ${order.id} ended though nothing of it was open`);
    this.ends.push({ id: order.id, how, lots: order.openLots, atUs });
  }

  /** Filled size of an order. */
  filledLots(id: number): Lots {
    return this.#filledLots.get(id) ?? 0;
  }

  /** The fills in short: `id cause`, with a question mark where the fill is ambiguous. */
  get doubted(): string[] {
    return this.fills.map(({ id, cause }, at) => `${id} ${cause}${this.doubts[at] ? "?" : ""}`);
  }

  /** The fills in short: `id lots@ticks cause`. */
  get story(): string[] {
    return this.fills.map(({ id, lots, ticks, cause }) => `${id} ${lots}@${ticks} ${cause}`);
  }
}

/** An order with defaults for what a test does not set. */
export function order(
  id: number,
  side: Side,
  ticks: Ticks,
  lots: Lots,
  more: Partial<ReplayOrder> = {},
): ReplayOrder {
  return {
    id,
    side,
    type: "LIMIT",
    ticks,
    lots,
    timeInForce: "GTC",
    expirationUs: Number.POSITIVE_INFINITY,
    openLots: lots,
    ...more,
  };
}
