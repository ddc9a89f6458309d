import { atLeastZero } from "../core/bigints.js";
import type { CreditUnits, Hex, Lots, MarketId, Side, Ticks } from "../core/units.js";
import { onlyReduces } from "../perpetual/margin.js";
import type { AccountExposure, ExposureOrder, MarketExposure } from "./exposure.js";
import { type AccountLimits, MILLION, millionths } from "./limits.js";
import { measureAccount, type WorstAccount, type WorstMarket } from "./worst-measure.js";

/** A place that asks to be let out. */
export interface PlaceProposal {
  readonly marketId: MarketId;
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  /** When the order is already among the exposure's orders (as intended, say), it is counted once. */
  readonly hash?: Hex | undefined;
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
interface Breach {
  readonly limit: LimitName;
  readonly scope: "market" | "account";
  /** The market whose limit it is, or whose order was judged. */
  readonly marketId: MarketId;
  /** What the worst case comes to, in the limit's unit (lots, credit units, orders, basis points, a ratio). */
  readonly value: string;
  readonly allowed: string;
  /** A sentence without its full stop, and without the limit's name: whoever shows both puts the name before it. */
  readonly why: string;
}

/** A breach in words, with the name of its limit. */
export function breachText({ limit, why }: Breach): string {
  return `${limit}: ${why}`;
}

/**
 * Judges a place in its worst case (design, rule 5): every order that may still become position, own and manual, at full size, every takeover
 * that is under way, and this one with them. Trades that have not settled fail where that makes it worse. Null when no limit is breached. Cancels are
 * never judged.
 *
 * A place that can only reduce the position, and not flip it, is held to size, order counts and distance from the mark alone. Where trades of the
 * position may still fail, it is held to the limits of its market's position too, and to those of the account if the largest position that may
 * come of it grows.
 */
export function checkPlace(
  place: PlaceProposal,
  exposure: AccountExposure,
  limits: AccountLimits,
): Breach | null {
  const market = exposure.markets.get(place.marketId);
  if (market === undefined)
    return explained(
      "unknown-market",
      place.marketId,
      place.marketId,
      "a market of the account",
      `${place.marketId} is not a market of the account`,
    );
  const bare = placeBreach(place, market, exposure, limits);
  if (bare !== null) return bare;
  if (isOnlyReducing(place, market)) {
    if (!mayFlip(place, market)) return null;
    const breach = flippedBreach(place, exposure);
    if (breach !== null || !growsWorst(place, exposure)) return breach;
  }
  if (!Number.isFinite(market.markTicks))
    return explained(
      "no-mark",
      place.marketId,
      "none",
      "a mark price",
      "there is no mark price to value the position at",
    );
  return worstBreaches(measureAccount(exposure, place), place.marketId, limits, place)[0] ?? null;
}

/**
 * Whether a place takes its market's position towards zero in every outcome: even when every order on its side fills with it, and every takeover
 * of its side comes, the position does not change its sign.
 */
export function isOnlyReducing(
  place: Pick<PlaceProposal, "side" | "lots" | "hash">,
  market: MarketExposure,
): boolean {
  const underWay = (sum: Lots, order: ExposureOrder) =>
    order.side === place.side && order.hash !== place.hash
      ? sum + order.mayFillLots + (order.untoldLots ?? 0)
      : sum;
  const lists = [market.orders, market.foreignOrders, market.takeoversUnderWay ?? []];
  const ordered = lists.reduce((sum, list) => list.reduce(underWay, sum), place.lots);
  return onlyReduces(market.positionLots, place.side, ordered);
}

/** Tells whether any trade of the position that a place reduces may still fail, so that there would be less to reduce. */
function mayFlip({ side }: PlaceProposal, { unsettledLots }: MarketExposure): boolean {
  return (
    unsettledLots !== undefined && (side === "BUY" ? unsettledLots.sell : unsettledLots.buy) > 0
  );
}

/** Tells whether a place makes the largest position that its market may come to, on either side, larger. */
function growsWorst(place: PlaceProposal, exposure: AccountExposure): boolean {
  const [without, withIt] = [0, place.lots].map((lots) =>
    measureAccount(exposure, { ...place, lots }).markets.get(place.marketId),
  );
  return without === undefined || withIt === undefined || withIt.largestLots > without.largestLots;
}

/** The limits of a market's position on the side of a place, which reduces the position unless trades in it fail. */
function flippedBreach(place: PlaceProposal, exposure: AccountExposure): Breach | null {
  const worst = measureAccount(exposure, place).markets.get(place.marketId);
  if (worst === undefined) return null;
  const { maxNotional } = worst.exposure.limits;
  const notional = maxNotional === undefined ? 0n : worst.notionalOn(place.side);
  return positionBreach(worst, place) ?? notionalBreach(worst, place.marketId, notional);
}

/** What is asked of every place, a reducing one too. */
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
    return explained(
      "order-size",
      marketId,
      value,
      allowed,
      `${value} is not an order: expected ${allowed}`,
    );
  }
  if (maxOrderLots !== undefined && lots > maxOrderLots) {
    return worded(
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
      return breach(
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
      return breach(
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
      return explained(
        "no-mark",
        marketId,
        "none",
        "a mark price",
        "there is no mark price to measure the order's distance from",
      );
    const distance = Math.abs(ticks - market.markTicks);
    if (distance * 10_000 > maxDistanceFromMarkBps * market.markTicks) {
      const bps = ((distance / market.markTicks) * 10_000).toFixed(2);
      return breach(
        "distance-from-mark",
        "market",
        marketId,
        bps,
        maxDistanceFromMarkBps,
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

/** Breaches of the measured worst case, as far as `marketId` is concerned: its own limits and the account's. */
function worstBreaches(
  worst: WorstAccount,
  marketId: MarketId,
  limits: AccountLimits,
  place: PlaceProposal,
): readonly Breach[] {
  const market = worst.markets.get(marketId);
  if (market === undefined) return [];
  const found: Breach[] = [];
  marketBreaches(found, market, marketId, limits, place);
  accountBreaches(found, worst, marketId, limits);
  return found;
}

function marketBreaches(
  found: Breach[],
  worst: WorstMarket,
  marketId: MarketId,
  limits: AccountLimits,
  place: PlaceProposal,
): void {
  const { maxNotional, maxOpenNotional } = worst.exposure.limits;
  const notional = maxNotional === undefined ? 0n : worst.notional;
  for (const limit of [positionBreach(worst, place), notionalBreach(worst, marketId, notional)])
    if (limit !== null) found.push(limit);
  const openNotional = maxOpenNotional === undefined ? 0n : worst.ownOpenNotional;
  if (maxOpenNotional !== undefined && openNotional > maxOpenNotional) {
    found.push(
      worded(
        "open-notional",
        "market",
        marketId,
        openNotional,
        maxOpenNotional,
        "of open orders",
        inQuote(worst.exposure),
      ),
    );
  }
  const { availableCredit } = worst.exposure;
  if (availableCredit !== undefined) {
    const available = place.side === "BUY" ? availableCredit.buy : availableCredit.sell;
    const { maxCreditUseFraction } = limits;
    const allowed =
      maxCreditUseFraction === undefined
        ? available
        : (available * millionths(maxCreditUseFraction)) / MILLION;
    const used = worst.uncountedCredit(place.side);
    if (used > allowed) {
      found.push(
        worded(
          "available-credit",
          "account",
          marketId,
          used,
          allowed,
          `of the exchange's available ${place.side} credit would be used`,
          inQuote(worst.exposure),
        ),
      );
    }
  }
}

const IF_ALL_FILLS = "of position if all that may fill does";

function positionBreach(worst: WorstMarket, { marketId, side }: PlaceProposal): Breach | null {
  const { maxPositionLots } = worst.exposure.limits;
  const lots = side === "BUY" ? worst.longLots : worst.shortLots;
  if (maxPositionLots === undefined || lots <= maxPositionLots) return null;
  return worded(
    "position",
    "market",
    marketId,
    lots,
    maxPositionLots,
    IF_ALL_FILLS,
    inBase(worst.exposure),
  );
}

function notionalBreach(
  { exposure }: WorstMarket,
  marketId: MarketId,
  notional: CreditUnits,
): Breach | null {
  const { maxNotional } = exposure.limits;
  if (maxNotional === undefined || notional <= maxNotional) return null;
  return worded(
    "notional",
    "market",
    marketId,
    notional,
    maxNotional,
    IF_ALL_FILLS,
    inQuote(exposure),
  );
}

function accountBreaches(
  found: Breach[],
  worst: WorstAccount,
  marketId: MarketId,
  limits: AccountLimits,
): void {
  const { maxNotional, maxLeverage, maxMarginUseFraction, minLiquidationDistanceBps } = limits;
  if (maxNotional !== undefined) {
    const { notional } = worst;
    if (notional > maxNotional) {
      const quote = inQuote(worst.markets.get(marketId)?.exposure);
      found.push(
        worded(
          "account-notional",
          "account",
          marketId,
          notional,
          maxNotional,
          "of position, all markets",
          quote,
        ),
      );
    }
  }
  if (maxLeverage !== undefined) {
    const { notional, netValue } = worst;
    if (notional * MILLION > atLeastZero(netValue) * millionths(maxLeverage)) {
      const value = ratio(notional, netValue);
      found.push(
        ofNetValue("leverage", marketId, value, maxLeverage, "times the net value as position"),
      );
    }
  }
  if (maxMarginUseFraction !== undefined) {
    const { initialMargin, netValue } = worst;
    if (initialMargin * MILLION > atLeastZero(netValue) * millionths(maxMarginUseFraction)) {
      const used = ratio(initialMargin, netValue);
      found.push(
        ofNetValue(
          "margin-use",
          marketId,
          used,
          maxMarginUseFraction,
          "of the net value as initial margin",
        ),
      );
    }
  }
  if (minLiquidationDistanceBps !== undefined) {
    const near = nearLiquidation(worst, minLiquidationDistanceBps);
    if (near !== undefined) {
      const value = `less than ${minLiquidationDistanceBps}`;
      const why = `${value} basis points from the mark to liquidation in the worst case, expected at least ${minLiquidationDistanceBps}`;
      found.push({
        ...explained("liquidation-distance", near, value, String(minLiquidationDistanceBps), why),
        scope: "account",
      });
    }
  }
}

/**
 * The first market whose mark may not move by the distance without liquidation. The contract's liquidation price (protocol, 7.3) is
 * (m' - n' - c) / p / (1 -+ mmr); that it is at least so far away is the same as the account's being safe at the moved mark:
 * netValue - notional * distance >= other maintenance + notional * (1 -+ distance) * mmr, which needs no division.
 */
function nearLiquidation(worst: WorstAccount, distanceBps: number): MarketId | undefined {
  const distance = BigInt(Math.ceil(distanceBps * 100));
  const { netValue, maintenance } = worst;
  for (const [marketId, market] of worst.markets) {
    const free = (netValue - (maintenance - market.maintenance)) * MILLION * MILLION;
    const mmr = BigInt(market.exposure.maintenancePpm);
    const isSafe = (notional: CreditUnits, moved: bigint): boolean =>
      notional === 0n || free >= notional * (distance * MILLION + moved * mmr);
    if (
      !isSafe(market.longNotional, MILLION - distance) ||
      !isSafe(market.shortNotional, MILLION + distance)
    )
      return marketId;
  }
  return undefined;
}

function ratio(numerator: CreditUnits, denominator: CreditUnits): string {
  return denominator > 0n ? (Number(numerator) / Number(denominator)).toFixed(4) : INFINITE;
}

/** Of a net value that is not above zero. */
const INFINITE = "infinite";

/** Lots as people read them; a sum of them may pass what is exact. */
function inBase({ instrument }: MarketExposure): (lots: Lots) => string {
  return (lots) => `${instrument.toldAmountOf(lots)} base`;
}

/** Credit units as people read them. */
function inQuote(market: MarketExposure | undefined): (units: CreditUnits) => string {
  return (units) =>
    market === undefined ? String(units) : `${market.instrument.creditToDecimal(units)} quote`;
}

function breach(
  limit: LimitName,
  scope: Breach["scope"],
  marketId: MarketId,
  value: unknown,
  allowed: unknown,
  what: string,
): Breach {
  return worded(limit, scope, marketId, value, allowed, what, String);
}

/** A breach of a limit on a share of the net value. */
function ofNetValue(
  limit: LimitName,
  marketId: MarketId,
  value: string,
  allowed: number,
  what: string,
): Breach {
  const worst =
    value === INFINITE
      ? "the net value is not above 0 in the worst case"
      : `${value} ${what} in the worst case`;
  const most = value === INFINITE ? `${allowed} ${what}` : allowed;
  return {
    limit,
    scope: "account",
    marketId,
    value,
    allowed: String(allowed),
    why: `${worst}, allowed ${most}`,
  };
}

/** A breach of what is no number. @param why a sentence without its full stop */
function explained(
  limit: LimitName,
  marketId: MarketId,
  value: string,
  allowed: string,
  why: string,
): Breach {
  return { limit, scope: "market", marketId, value, allowed, why };
}

/** @param text a value as people read it, with its unit. */
function worded<T>(
  limit: LimitName,
  scope: Breach["scope"],
  marketId: MarketId,
  value: T,
  allowed: T,
  what: string,
  text: (amount: T) => string,
): Breach {
  const why = `${text(value)} ${what}, allowed ${text(allowed)}`;
  return { limit, scope, marketId, value: String(value), allowed: String(allowed), why };
}
