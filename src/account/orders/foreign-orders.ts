import type { Int64Id, Lots, MarketId, Ms } from "../../core/units.js";
import type { VenueOrder } from "../../exchange/records.js";
import { areSameAmounts, joinAmounts, readReportedAmounts, toWholeLots } from "./order-amounts.js";

/** The change that a report of a foreign order made. */
export interface ForeignOrderUpdate {
  readonly order: VenueOrder;
  readonly first: boolean;
  /** Change of its pending plus filled lots. */
  readonly matchedLots: Lots;
}

/**
 * Orders of the account that the bot did not place. They are observed and counted, and never
 * changed (docs/ideas/design.md#order-identity).
 */
export class ForeignOrders {
  readonly #orders = new Map<Int64Id, { order: VenueOrder; finalAtMs: Ms | undefined }>();

  /** Applies a report. Returns undefined if it changes nothing or has impossible amounts. */
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

  /** The foreign orders that may still fill, in one market or in all. */
  open(marketId?: MarketId): readonly VenueOrder[] {
    if (this.#orders.size === 0) return NONE;
    const open: VenueOrder[] = [];
    for (const { order, finalAtMs } of this.#orders.values()) {
      if (finalAtMs === undefined && (marketId === undefined || order.marketId === marketId))
        open.push(order);
    }
    return open;
  }

  /** Removes an order that the exchange has twice listed neither as open nor in the history. */
  vanish(orderId: Int64Id, nowMs: Ms): void {
    const known = this.#orders.get(orderId);
    if (known !== undefined && known.finalAtMs === undefined)
      this.#orders.set(orderId, { order: known.order, finalAtMs: nowMs });
  }

  /**
   * Forgets orders that have been final since before `beforeMs`; those with unsettled matches,
   * since before `unsettledBeforeMs`.
   */
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
