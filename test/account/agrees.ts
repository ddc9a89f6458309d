import { expect } from "vitest";
import { isFinalPhase } from "#account/order.js";
import type { Side } from "#core/units.js";
import { MARKET, TAG } from "./exchange-story.js";
import type { Race } from "./race.js";
import { worstPosition } from "./worst-position.js";

/** Checks that the account has the exchange's state of each order and of the position. */
export function agrees({ account, exchange }: Race): void {
  const open = exchange.orders.filter((order) => order.availableLots > 0);
  const own = open.filter((order) => order.info.slice(50, 54) === TAG.toString(16));
  const hashes = (orders: readonly { readonly hash: string }[]): string[] =>
    orders.map(({ hash }) => hash).sort();
  expect(hashes(account.orders.mayStillFill(MARKET))).toEqual(hashes(own));
  expect(account.orders.unresolved().length).toBe(own.length);
  expect(account.orders.foreign().length).toBe(open.length - own.length);
  expect(account.positionLots(MARKET)).toBe(exchange.position);
  const openLots = (side: Side): number =>
    open.reduce((sum, order) => sum + (order.side === side ? order.availableLots : 0), 0);
  expect(worstPosition(account, MARKET)).toEqual({
    maxLongLots: exchange.position + openLots("BUY"),
    maxShortLots: exchange.position - openLots("SELL"),
  });
  for (const order of exchange.orders) {
    const ours = account.orders.get(order.hash);
    if (ours === undefined || !isFinalPhase(ours.phase)) continue;
    expect([ours.phase, ours.matchedLots, ours.failedLots]).toEqual([
      ours.phase,
      order.pendingLots + order.filledLots,
      order.failedLots,
    ]);
  }
}
