import type { CreditUnits, Hex, Lots, MarketId, Side, Ticks } from "../core/units.js";
import type { AccountExposure, ExposureOrder, MarketExposure } from "./exposure.js";
import type { AccountLimits } from "./limits.js";
import { measureAccount, type WorstAccount, type WorstMarket } from "./worst-measure.js";

/** A place that asks to be let out. */
export interface PlaceProposal {
  readonly marketId: MarketId;
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  /** When the order is already among the exposure's orders (as intended, say), it is counted once. */
  readonly hash?: Hex;
}

/** The limits by name: the label of a metric, and what a log speaks of. */
export type LimitName =
  | "unknown-market"
  | "order-size"
  | "open-orders"
  | "account-open-orders"
  | "no-mark"
  | "distance-from-mark"
  | "position"
  | "notional"
  | "open-notional"
  | "account-notional"
  | "leverage"
  | "margin-use"
  | "available-credit"
  | "liquidation-distance";

/** The limit that a worst case would breach. */
export interface Breach {
  readonly limit: LimitName;
  readonly scope: "market" | "account";
  /** The market whose limit it is, or whose order was judged. */
  readonly marketId: MarketId;
  /** What the worst case comes to, in the limit's unit (lots, credit units, orders, basis points, a ratio). */
  readonly value: string;
  readonly allowed: string;
  readonly why: string;
}

/**
 * Judges a place in its worst case (design, rule 5): every order that may still become position, own and manual, at full size, and this
 * one with them. Null when no limit is breached. A place that can only reduce the position, and not flip it, passes whatever else is
 * over its limit: size, order counts and distance from the mark alone are asked of it. Cancels are never asked.
 */
export function checkPlace(place: PlaceProposal, exposure: AccountExposure, limits: AccountLimits): Breach | null {
  const market = exposure.markets.get(place.marketId);
  if (market === undefined)
    return breach("unknown-market", "market", place.marketId, place.marketId, "a market of the account", "is not known");
  const bare = placeBreach(place, market, exposure, limits);
  if (bare !== null) return bare;
  if (onlyReduces(place, market)) return null;
  if (!Number.isFinite(market.markTicks))
    return breach("no-mark", "market", place.marketId, "none", "a mark price", "nothing to value it by");
  return worstBreaches(measureAccount(exposure, place), place.marketId, limits, place)[0] ?? null;
}

/**
 * What the account is over already, worst case first measured without any new place: while there is any, only reducing places pass.
 * A market without a mark is reported only where it has a position or orders.
 */
export function standingBreaches(exposure: AccountExposure, limits: AccountLimits): readonly Breach[] {
  const found: Breach[] = [];
  let isMarked = true;
  for (const market of exposure.markets.values()) {
    const isIdle = market.positionLots === 0 && market.orders.length + market.foreignOrders.length === 0;
    if (Number.isFinite(market.markTicks) || isIdle) continue;
    isMarked = false;
    found.push(breach("no-mark", "market", market.marketId, "none", "a mark price", "nothing to value it by"));
  }
  if (!isMarked) return found;
  const worst = measureAccount(exposure, undefined);
  for (const marketId of exposure.markets.keys()) {
    for (const one of worstBreaches(worst, marketId, limits, undefined)) {
      const isKnown = one.scope === "account" && found.some((other) => other.limit === one.limit);
      if (!isKnown) found.push(one);
    }
  }
  return found;
}

/**
 * Whether a place takes its market's position towards zero in every outcome: even when every order on its side fills with it, the
 * position does not change its sign.
 */
export function onlyReduces(place: Pick<PlaceProposal, "side" | "lots" | "hash">, market: MarketExposure): boolean {
  const { positionLots } = market;
  if (positionLots === 0 || positionLots > 0 === (place.side === "BUY")) return false;
  const underWay = (sum: Lots, order: ExposureOrder) =>
    order.side === place.side && order.hash !== place.hash ? sum + order.mayFillLots + (order.untoldLots ?? 0) : sum;
  return market.foreignOrders.reduce(underWay, market.orders.reduce(underWay, place.lots)) <= Math.abs(positionLots);
}

/** What is asked of every place, a reducing one too. */
function placeBreach(place: PlaceProposal, market: MarketExposure, exposure: AccountExposure, limits: AccountLimits): Breach | null {
  const { marketId, lots, ticks } = place;
  const { maxOrderLots, maxOpenOrders, maxDistanceFromMarkBps } = market.limits;
  if (!Number.isSafeInteger(lots) || lots <= 0 || !Number.isSafeInteger(ticks) || ticks <= 0) {
    return breach("order-size", "market", marketId, `${lots} lots at ${ticks}`, "whole lots and ticks above 0", "is no order");
  }
  if (maxOrderLots !== undefined && lots > maxOrderLots) {
    return breach("order-size", "market", marketId, lots, maxOrderLots, "lots in one order");
  }
  if (maxOpenOrders !== undefined) {
    const open = openOrders(market, place.hash) + 1;
    if (open > maxOpenOrders) return breach("open-orders", "market", marketId, open, maxOpenOrders, "orders that may still fill");
  }
  if (limits.maxOpenOrders !== undefined) {
    let open = 1;
    for (const other of exposure.markets.values()) open += openOrders(other, place.hash);
    if (open > limits.maxOpenOrders) {
      return breach("account-open-orders", "account", marketId, open, limits.maxOpenOrders, "orders that may still fill, all markets");
    }
  }
  if (maxDistanceFromMarkBps !== undefined) {
    if (!Number.isFinite(market.markTicks)) return breach("no-mark", "market", marketId, "none", "a mark price", "no distance from it");
    const distance = Math.abs(ticks - market.markTicks);
    if (distance * 10_000 > maxDistanceFromMarkBps * market.markTicks) {
      const bps = ((distance / market.markTicks) * 10_000).toFixed(2);
      return breach("distance-from-mark", "market", marketId, bps, maxDistanceFromMarkBps, "basis points from the mark");
    }
  }
  return null;
}

function openOrders(market: MarketExposure, except: Hex | undefined): number {
  let count = 0;
  for (const order of market.orders) if ((order.mayFillLots > 0 || order.phase === "intended") && order.hash !== except) count++;
  return count;
}

/** Breaches of the measured worst case, as far as `marketId` is concerned: its own limits and the account's. */
function worstBreaches(
  worst: WorstAccount,
  marketId: MarketId,
  limits: AccountLimits,
  place: PlaceProposal | undefined,
): readonly Breach[] {
  const market = worst.markets.get(marketId);
  if (market === undefined) return [];
  return [...marketBreaches(market, marketId, limits, place), ...accountBreaches(worst, marketId, limits)];
}

function marketBreaches(
  worst: WorstMarket,
  marketId: MarketId,
  limits: AccountLimits,
  place: PlaceProposal | undefined,
): readonly Breach[] {
  const found: Breach[] = [];
  const { maxPositionLots, maxNotional, maxOpenNotional } = worst.exposure.limits;
  const positionLots =
    place === undefined ? Math.max(worst.longLots, worst.shortLots) : place.side === "BUY" ? worst.longLots : worst.shortLots;
  if (maxPositionLots !== undefined && positionLots > maxPositionLots) {
    found.push(breach("position", "market", marketId, positionLots, maxPositionLots, "lots of position if all that may fill does"));
  }
  if (maxNotional !== undefined && worst.notional > maxNotional) {
    found.push(breach("notional", "market", marketId, worst.notional, maxNotional, "credit units of position if all that may fill does"));
  }
  if (maxOpenNotional !== undefined && worst.ownOpenNotional > maxOpenNotional) {
    found.push(breach("open-notional", "market", marketId, worst.ownOpenNotional, maxOpenNotional, "credit units of open orders"));
  }
  const { availableCredit } = worst.exposure;
  if (place !== undefined && availableCredit !== undefined) {
    const available = place.side === "BUY" ? availableCredit.buy : availableCredit.sell;
    const allowed = (available * ppmDown(limits.maxCreditUseFraction ?? 1)) / MILLION;
    const used = place.side === "BUY" ? worst.uncountedBuyCredit : worst.uncountedSellCredit;
    if (used > allowed) {
      found.push(
        breach("available-credit", "account", marketId, used, allowed, `credit units of the exchange's available ${place.side} credit`),
      );
    }
  }
  return found;
}

function accountBreaches(worst: WorstAccount, marketId: MarketId, limits: AccountLimits): readonly Breach[] {
  const found: Breach[] = [];
  const { maxNotional, maxLeverage, maxMarginUseFraction, minLiquidationDistanceBps } = limits;
  if (maxNotional !== undefined && worst.notional > maxNotional) {
    found.push(breach("account-notional", "account", marketId, worst.notional, maxNotional, "credit units of position, all markets"));
  }
  if (maxLeverage !== undefined && worst.notional * MILLION > positive(worst.netValue) * ppmDown(maxLeverage)) {
    found.push(
      breach("leverage", "account", marketId, ratio(worst.notional, worst.netValue), maxLeverage, "times the net value, worst case"),
    );
  }
  if (maxMarginUseFraction !== undefined && worst.initialMargin * MILLION > positive(worst.netValue) * ppmDown(maxMarginUseFraction)) {
    const used = ratio(worst.initialMargin, worst.netValue);
    found.push(breach("margin-use", "account", marketId, used, maxMarginUseFraction, "of the net value as initial margin, worst case"));
  }
  if (minLiquidationDistanceBps !== undefined) {
    const near = nearLiquidation(worst, minLiquidationDistanceBps);
    if (near !== undefined) {
      found.push(
        breach(
          "liquidation-distance",
          "account",
          near,
          `less than ${minLiquidationDistanceBps}`,
          minLiquidationDistanceBps,
          "basis points to liquidation",
        ),
      );
    }
  }
  return found;
}

/**
 * The first market whose mark may not move by the distance without liquidation. The contract's liquidation price (protocol, 7.3) is
 * (m' - n' - c) / p / (1 -+ mmr); that it is at least so far away is the same as the account's being safe at the moved mark:
 * netValue - notional * distance >= other maintenance + notional * (1 -+ distance) * mmr, which needs no division.
 */
function nearLiquidation(worst: WorstAccount, distanceBps: number): MarketId | undefined {
  const distance = BigInt(Math.ceil(distanceBps * 100));
  for (const [marketId, market] of worst.markets) {
    const others = worst.maintenance - market.maintenance;
    const mmr = BigInt(market.exposure.maintenancePpm);
    const isSafe = (notional: CreditUnits, moved: bigint): boolean =>
      notional === 0n || (worst.netValue - others) * MILLION * MILLION >= notional * distance * MILLION + notional * moved * mmr;
    if (!isSafe(market.longNotional, MILLION - distance) || !isSafe(market.shortNotional, MILLION + distance)) return marketId;
  }
  return undefined;
}

const MILLION = 1_000_000n;

function ppmDown(fraction: number): bigint {
  return BigInt(Math.floor(fraction * 1_000_000));
}

function positive(credit: CreditUnits): CreditUnits {
  return credit > 0n ? credit : 0n;
}

function ratio(numerator: CreditUnits, denominator: CreditUnits): string {
  return denominator > 0n ? (Number(numerator) / Number(denominator)).toFixed(4) : "infinite";
}

function breach(limit: LimitName, scope: Breach["scope"], marketId: MarketId, value: unknown, allowed: unknown, what: string): Breach {
  return { limit, scope, marketId, value: String(value), allowed: String(allowed), why: `${limit}: ${value} ${what}, allowed ${allowed}` };
}
