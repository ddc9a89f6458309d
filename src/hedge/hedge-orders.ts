import type { Lots, Ms, Side } from "../core/units.js";
import { sideSign } from "../core/units.js";
import {
  advanceHedgeOrder,
  createEarlierHedgeOrder,
  createHedgeOrder,
  type HedgeOrder,
  type HedgeOrderEvent,
  isHedgeOrderOver,
  isPlausibleReport,
  matchedHedgeLots,
  mayFillHedgeLots,
} from "./hedge-order.js";
import { type HedgeOrderKey, isTaggedKey } from "./hedge-order-key.js";
import type { HedgeFill, HedgeOrderReport, HedgePlace } from "./hedge-venue.js";
import type { StoredHedge } from "./stored-hedge.js";

/** Orders whose end is this long ago are forgotten: their fills have all been read since. */
const KEPT_FOR_MS: Ms = 600_000;
/** An order that is answered, and whose end is due at once, is asked for after this time. */
const END_DUE_MS: Ms = 1_000;

/** The bot's orders at one hedge venue in one symbol. */
export class HedgeOrders {
  readonly #tag: number;
  readonly #orders = new Map<HedgeOrderKey, HedgeOrder>();
  readonly #endedAtMs = new Map<HedgeOrderKey, Ms>();
  /** Lots of fills of the bot's orders that are not in the table yet. */
  readonly #earlyLots = new Map<HedgeOrderKey, Lots>();

  /**
   * @param tag of the bot's keys
   * @param stored orders of an earlier run whose end it did not know
   */
  constructor(tag: number, stored: StoredHedge["orders"], nowMs: Ms) {
    this.#tag = tag;
    for (const order of stored) this.#orders.set(order.key, createEarlierHedgeOrder(order, nowMs));
  }

  /** The order that may still fill; undefined without one. */
  get working(): HedgeOrder | undefined {
    for (const order of this.#orders.values()) if (!isHedgeOrderOver(order)) return order;
    return undefined;
  }

  /** Orders that may still fill: one, unless an earlier run left others. */
  get unresolved(): readonly HedgeOrder[] {
    return [...this.#orders.values()].filter((order) => !isHedgeOrderOver(order));
  }

  /** Signed lots that orders report as filled and whose fills were not read yet. */
  get unreadLots(): Lots {
    let sum = 0;
    for (const order of this.#orders.values())
      sum += sideSign(order.side) * (matchedHedgeLots(order) - order.countedLots);
    return sum;
  }

  /** Lots that may still fill on a side. */
  mayFill(side: Side): Lots {
    let sum = 0;
    for (const order of this.#orders.values())
      if (order.side === side) sum += mayFillHedgeLots(order);
    return sum;
  }

  get(key: HedgeOrderKey): HedgeOrder | undefined {
    return this.#orders.get(key);
  }

  /** Enters an order that is about to be sent. */
  place(place: HedgePlace, nowMs: Ms): void {
    this.#orders.set(place.key, createHedgeOrder(place, nowMs));
  }

  /** Applies an event to an order; undefined if it changes nothing. */
  apply(key: HedgeOrderKey, event: HedgeOrderEvent, nowMs: Ms): HedgeOrder | undefined {
    const order = this.#orders.get(key);
    if (order === undefined) return undefined;
    const next = advanceHedgeOrder(order, event);
    if (next === order) return undefined;
    this.#orders.set(key, next);
    if (isHedgeOrderOver(next)) this.#endedAtMs.set(key, this.#endedAtMs.get(key) ?? nowMs);
    else this.#endedAtMs.delete(key);
    return next;
  }

  /** Counts a fill that is in the position; undefined if it changes no order in the table. */
  countFill({ key, lots }: Pick<HedgeFill, "key" | "lots">, nowMs: Ms): HedgeOrder | undefined {
    if (key === undefined) return undefined;
    if (!this.#orders.has(key) && isTaggedKey(key, this.#tag))
      this.#earlyLots.set(key, (this.#earlyLots.get(key) ?? 0) + lots);
    return this.apply(key, { kind: "fill", lots }, nowMs);
  }

  /**
   * Applies a report. An order with the bot's tag that is not in the table is from an earlier run:
   * it is entered. Undefined if nothing changes; a text if the report contradicts the order.
   */
  report(report: HedgeOrderReport, nowMs: Ms): HedgeOrder | string | undefined {
    const { key } = report;
    const known = this.#orders.get(key);
    if (known === undefined) {
      if (!report.isOpen || !isTaggedKey(key, this.#tag)) return undefined;
      const countedLots = this.#earlyLots.get(key) ?? 0;
      this.#earlyLots.delete(key);
      this.#orders.set(key, createEarlierHedgeOrder({ ...report, countedLots }, nowMs));
    } else if (!isPlausibleReport(known, report))
      return `${report.side} ${report.lots}, of which ${report.filledLots} filled, is reported for ${known.side} ${known.lots}`;
    return this.apply(key, { kind: "report", report }, nowMs);
  }

  /** The order that has to be asked for by its key; undefined if none has to. */
  due(nowMs: Ms): HedgeOrder | undefined {
    for (const order of this.#orders.values()) {
      if (isHedgeOrderOver(order)) continue;
      if (order.phase === "unknown") return order;
      const sinceMs = order.phase === "cancelling" ? order.cancelSentAtMs : order.sentAtMs;
      const isEndDue = order.phase === "cancelling" || order.timeInForce === "IOC";
      if (order.phase !== "sent" && isEndDue && nowMs - (sinceMs ?? nowMs) >= END_DUE_MS)
        return order;
    }
    return undefined;
  }

  /** Orders that were found nowhere, asked for after they could have been accepted. */
  absentSince(askedAtMs: Ms): readonly HedgeOrder[] {
    return this.unresolved.filter(
      ({ absentAtMs }) => absentAtMs !== undefined && absentAtMs <= askedAtMs,
    );
  }

  /** Forgets orders that ended long ago and whose fills were all read. */
  forget(nowMs: Ms): void {
    for (const [key, endedAtMs] of this.#endedAtMs) {
      const order = this.#orders.get(key);
      if (order === undefined || nowMs - endedAtMs < KEPT_FOR_MS) continue;
      if (matchedHedgeLots(order) !== order.countedLots) continue;
      this.#orders.delete(key);
      this.#endedAtMs.delete(key);
    }
  }

  /** The orders whose end, or whose fills, are not all known. */
  store(): StoredHedge["orders"] {
    return [...this.#orders.values()]
      .filter((order) => !isHedgeOrderOver(order) || matchedHedgeLots(order) !== order.countedLots)
      .map(({ key, side, lots, countedLots }) => ({ key, side, lots, countedLots }));
  }
}
