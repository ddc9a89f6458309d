import type { Hex, Side, Ticks } from "../core/units.js";

/** Best prices of one book, or of one party's orders in it. A side without orders is undefined. */
export interface BestPrices {
  readonly bestBidTicks: Ticks | undefined;
  readonly bestAskTicks: Ticks | undefined;
}

/** An order as a possible counterparty of another one. */
export interface CrossableOrder {
  readonly hash: Hex;
  readonly side: Side;
  readonly ticks: Ticks;
}

/** The touch that an order of `side` would trade against. */
export function opposingPrice(side: Side, touch: BestPrices): Ticks | undefined {
  return side === "BUY" ? touch.bestAskTicks : touch.bestBidTicks;
}

/**
 * Returns true if an order of `side` at `ticks` would trade against an opposite order at
 * `opposingTicks`.
 */
export function crosses(side: Side, ticks: Ticks, opposingTicks: Ticks | undefined): boolean {
  if (opposingTicks === undefined) return false;
  return side === "BUY" ? ticks >= opposingTicks : ticks <= opposingTicks;
}

/**
 * The account's own order that an order of `side` at `ticks` would trade against, in any phase.
 * Undefined if there is none.
 */
export function findCrossedOrder<T extends CrossableOrder>(
  side: Side,
  ticks: Ticks,
  orders: readonly T[],
): T | undefined {
  for (const order of orders)
    if (order.side !== side && crosses(side, ticks, order.ticks)) return order;
  return undefined;
}

/**
 * The nearest price to `ticks` that does not trade against `touch`: one tick behind the touch if it
 * would. A quote is always passive, whatever its time in force.
 */
export function toPassivePrice(side: Side, ticks: Ticks, touch: BestPrices): Ticks {
  const opposing = opposingPrice(side, touch);
  if (opposing === undefined || !crosses(side, ticks, opposing)) return ticks;
  return side === "BUY" ? opposing - 1 : opposing + 1;
}

/**
 * Ticks between an order and the opposite touch. Zero or less means that it is trading. +Infinity
 * without a touch.
 */
export function distanceToTouch(side: Side, ticks: Ticks, touch: BestPrices): number {
  const opposing = opposingPrice(side, touch);
  if (opposing === undefined) return Number.POSITIVE_INFINITY;
  return side === "BUY" ? opposing - ticks : ticks - opposing;
}
