import type { Int64Id, Lots, MarketId, Ms } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";
import { areSameAmounts, joinAmounts, readReportedAmounts, toWholeLots } from "./order-amounts.js";

/** What a report of a foreign order changed. */
export interface ForeignOrderUpdate {
  readonly order: VenueOrder;
  readonly first: boolean;
  /** Change of its pending plus filled lots. */
  readonly matchedLots: Lots;
}

/**
 * Orders of the account that are not the bot's: seen, counted, never touched
 * (docs/ideas/design.md#order-identity).
 */
export class ForeignOrders {
  readonly #orders = new Map<Int64Id, { order: VenueOrder; finalAtMs: Ms | undefined }>();

  /** Takes a report in. Undefined: nothing new, or amounts that cannot be true. */
  report(report: VenueOrder, nowMs: Ms): ForeignOrderUpdate | undefined {
    const amounts = readReportedAmounts(report);
    if (amounts === undefined) return undefined;
    const known = this.#orders.get(report.id);
    const joined =
      known === undefined ? amounts : joinAmounts(known.order.lots, known.order, amounts);
    if (known !== undefined && areSameAmounts(joined, known.order)) return undefined;
    const open = joined.availableLots > 0;
    const order: VenueOrder = {
      ...report,
      lots: known?.order.lots ?? toWholeLots(report),
      ...joined,
    };
    this.#orders.set(report.id, {
      order,
      finalAtMs: open ? undefined : (known?.finalAtMs ?? nowMs),
    });
    const before = known === undefined ? 0 : known.order.pendingLots + known.order.filledLots;
    return {
      order,
      first: known === undefined,
      matchedLots: order.pendingLots + order.filledLots - before,
    };
  }

  has(orderId: Int64Id): boolean {
    return this.#orders.has(orderId);
  }

  get(orderId: Int64Id): VenueOrder | undefined {
    return this.#orders.get(orderId)?.order;
  }

  /** Those that may still fill: of one market, or of all. */
  open(marketId?: MarketId): readonly VenueOrder[] {
    if (this.#orders.size === 0) return NONE;
    const open: VenueOrder[] = [];
    for (const { order, finalAtMs } of this.#orders.values()) {
      if (finalAtMs === undefined && (marketId === undefined || order.marketId === marketId))
        open.push(order);
    }
    return open;
  }

  /** The exchange lists it neither as open nor in the history, twice: it is no order any more. */
  vanish(orderId: Int64Id, nowMs: Ms): void {
    const known = this.#orders.get(orderId);
    if (known !== undefined && known.finalAtMs === undefined)
      this.#orders.set(orderId, { order: known.order, finalAtMs: nowMs });
  }

  /** Forgets those that have been final since before `beforeMs`, and, with something unsettled, since before `unsettledBeforeMs`. */
  forget(beforeMs: Ms, unsettledBeforeMs: Ms): void {
    for (const [id, { order, finalAtMs }] of this.#orders) {
      if (
        finalAtMs !== undefined &&
        finalAtMs < (order.pendingLots > 0 ? unsettledBeforeMs : beforeMs)
      )
        this.#orders.delete(id);
    }
  }
}

const NONE: readonly VenueOrder[] = [];
