import type { Hex, Lots, MarketId, Side, Ticks } from "../core/units.js";
import { isOnlyReducingSize } from "../perpetual/margin.js";
import { type Breach, explainedBreach, inBase, measuredBreach } from "./breach.js";
import { computeWorstCase } from "./compute-worst-case.js";
import type { AccountExposure, ExposureOrder, MarketExposure } from "./exposure.js";
import type { AccountLimits } from "./limits.js";
import { sideBreach, worstBreach } from "./worst-breach.js";

/** An order that the bot proposes to place. */
export interface PlaceProposal {
  readonly marketId: MarketId;
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  /**
   * Prevents double counting if the order is already among the exposure's orders (for example as
   * intended).
   */
  readonly hash?: Hex | undefined;
  /** True for a slice of a target position, such as a flatten. */
  readonly isTowardsTarget?: boolean;
}

/** A breach as text, with the name of its limit. */
export function describeBreach({ limit, why }: Breach): string {
  return `${limit}: ${why}`;
}

/**
 * Checks the placing of an order in its worst case (docs/ideas/design.md#worst-case). Every order
 * that may still become position (own and manual), every pending takeover and this order count at
 * full size. Unsettled trades fail if that makes the result worse. Returns null if no limit is
 * breached. Cancels are never checked.
 *
 * An order that can only reduce the position, without reversing it, is checked against size, order
 * counts and distance from the mark alone. If trades of the position may still fail, it is also
 * checked against the limits of its market's position. In that case the limits of the account apply
 * too if the order increases the largest possible position.
 */
export function checkPlace(
  place: PlaceProposal,
  exposure: AccountExposure,
  limits: AccountLimits,
): Breach | null {
  const market = exposure.markets.get(place.marketId);
  if (market === undefined)
    return explainedBreach(
      "unknown-market",
      place.marketId,
      place.marketId,
      "a market of the account",
      `${place.marketId} is not a market of the account`,
    );
  const bare = placeBreach(place, market, exposure, limits);
  if (bare !== null) return bare;
  if (isOnlyReducing(place, market) && !growsNet(place, market)) {
    if (!mayFlip(place, market)) return null;
    const breach = flippedBreach(place, exposure);
    if (breach !== null || !growsWorst(place, exposure)) return breach;
  }
  if (!Number.isFinite(market.markTicks))
    return explainedBreach(
      "no-mark",
      place.marketId,
      "none",
      "a mark price",
      "there is no mark price to value the position at",
    );
  return worstBreach(computeWorstCase(exposure, place), place, limits);
}

/**
 * Returns true if an order moves its market's position towards zero in every outcome. The position
 * must not change its sign even if every order on that side fills and every takeover of that side
 * succeeds.
 */
export function isOnlyReducing(
  place: Pick<PlaceProposal, "side" | "lots" | "hash">,
  market: MarketExposure,
): boolean {
  const underWay = (sum: Lots, order: ExposureOrder) =>
    order.side === place.side && order.hash !== place.hash
      ? sum + order.mayFillLots + (order.unreportedLots ?? 0)
      : sum;
  const lists = [market.orders, market.foreignOrders, market.pendingTakeovers ?? []];
  const ordered = lists.reduce((sum, list) => list.reduce(underWay, sum), place.lots);
  return isOnlyReducingSize(market.positionLots, place.side, ordered);
}

/**
 * Returns true if an order that reduces a hedged position adds to what the position and its hedge
 * are together. An order towards a target position does not count: its hedge follows it.
 */
export function growsNet(place: PlaceProposal, market: MarketExposure): boolean {
  if (market.hedge === undefined || place.isTowardsTarget === true) return false;
  const positionLots = market.positionLots + market.hedge.positionLots;
  return !isOnlyReducing(place, { ...market, positionLots });
}

/**
 * Returns true if a trade of the position that the order reduces may still fail, which would leave
 * less to reduce.
 */
function mayFlip({ side }: PlaceProposal, { unsettledLots }: MarketExposure): boolean {
  return (
    unsettledLots !== undefined && (side === "BUY" ? unsettledLots.sell : unsettledLots.buy) > 0
  );
}

/**
 * Returns true if the order increases the largest position, on either side, that its market can
 * reach.
 */
function growsWorst(place: PlaceProposal, exposure: AccountExposure): boolean {
  const [without, withIt] = [0, place.lots].map((lots) =>
    computeWorstCase(exposure, { ...place, lots }).markets.get(place.marketId),
  );
  return without === undefined || withIt === undefined || withIt.largestLots > without.largestLots;
}

/**
 * Checks the limits of a market's position on the side of an order that reduces the position unless
 * trades in it fail.
 */
function flippedBreach(place: PlaceProposal, exposure: AccountExposure): Breach | null {
  const worst = computeWorstCase(exposure, place).markets.get(place.marketId);
  return worst === undefined ? null : sideBreach(worst, place);
}

/** Checks that apply to every order, reducing ones included. */
function placeBreach(
  place: PlaceProposal,
  market: MarketExposure,
  exposure: AccountExposure,
  limits: AccountLimits,
): Breach | null {
  const { marketId, lots, ticks } = place;
  const { maxOrderLots, maxOpenOrders, maxDistanceFromMarkBps } = market.limits;
  if (!Number.isSafeInteger(lots) || lots <= 0 || !Number.isSafeInteger(ticks) || ticks <= 0) {
    const value = `${lots} lots at ${ticks} ticks`;
    const allowed = "whole lots and ticks above 0";
    return explainedBreach(
      "order-size",
      marketId,
      value,
      allowed,
      `${value} is not an order: expected ${allowed}`,
    );
  }
  if (maxOrderLots !== undefined && lots > maxOrderLots) {
    return measuredBreach(
      "order-size",
      "market",
      marketId,
      lots,
      maxOrderLots,
      "in one order",
      inBase(market),
    );
  }
  if (maxOpenOrders !== undefined) {
    const open = openOrders(market, place.hash) + 1;
    if (open > maxOpenOrders)
      return measuredBreach(
        "open-orders",
        "market",
        marketId,
        open,
        maxOpenOrders,
        "orders that may still fill",
      );
  }
  if (limits.maxOpenOrders !== undefined) {
    let open = 1;
    for (const other of exposure.markets.values()) open += openOrders(other, place.hash);
    if (open > limits.maxOpenOrders) {
      return measuredBreach(
        "account-open-orders",
        "account",
        marketId,
        open,
        limits.maxOpenOrders,
        "orders that may still fill, all markets",
      );
    }
  }
  if (maxDistanceFromMarkBps !== undefined) {
    if (!Number.isFinite(market.markTicks))
      return explainedBreach(
        "no-mark",
        marketId,
        "none",
        "a mark price",
        "there is no mark price to measure the order's distance from",
      );
    const distance = Math.abs(ticks - market.markTicks);
    if (distance * 10_000 > maxDistanceFromMarkBps * market.markTicks) {
      const bps = ((distance / market.markTicks) * 10_000).toFixed(2);
      return measuredBreach(
        "distance-from-mark",
        "market",
        marketId,
        bps,
        String(maxDistanceFromMarkBps),
        "basis points from the mark",
      );
    }
  }
  return null;
}

function openOrders(market: MarketExposure, except: Hex | undefined): number {
  let count = 0;
  for (const order of market.orders)
    if ((order.mayFillLots > 0 || order.phase === "intended") && order.hash !== except) count++;
  return count;
}
