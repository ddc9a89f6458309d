import { atLeastZero } from "../core/bigints.js";
import type { CreditUnits, MarketId, Side } from "../core/units.js";
import {
  type Breach,
  explainedBreach,
  inBase,
  inQuote,
  measuredBreach,
  netValueBreach,
} from "./breach.js";
import type { WorstCaseAccount, WorstCaseMarket } from "./compute-worst-case.js";
import { type AccountLimits, MILLION, toMillionths } from "./limits.js";

/** The order whose worst case was computed. */
interface MeasuredPlace {
  readonly marketId: MarketId;
  readonly side: Side;
}

/** The first breach of the worst case: by the limits of its market, then of the account. */
export function worstBreach(
  worst: WorstCaseAccount,
  place: MeasuredPlace,
  limits: AccountLimits,
): Breach | null {
  const market = worst.markets.get(place.marketId);
  if (market === undefined) return null;
  return (
    positionBreach(market, place) ??
    notionalBreach(market, place.marketId, () => market.netNotional) ??
    openNotionalBreach(market, place.marketId) ??
    creditBreach(market, place, limits) ??
    accountNotionalBreach(worst, place.marketId, limits) ??
    leverageBreach(worst, place.marketId, limits) ??
    marginUseBreach(worst, place.marketId, limits) ??
    liquidationBreach(worst, limits)
  );
}

/** The first breach by the position of a market on the side of the order alone. */
export function sideBreach(worst: WorstCaseMarket, place: MeasuredPlace): Breach | null {
  return (
    positionBreach(worst, place) ??
    notionalBreach(worst, place.marketId, () => worst.netNotionalOn(place.side))
  );
}

const IF_ALL_FILLS = "of position if every open order fills";

function positionBreach(worst: WorstCaseMarket, { marketId, side }: MeasuredPlace): Breach | null {
  const { maxPositionLots } = worst.exposure.limits;
  const lots = side === "BUY" ? worst.netLongLots : worst.netShortLots;
  if (maxPositionLots === undefined || lots <= maxPositionLots) return null;
  const text = inBase(worst.exposure);
  return measuredBreach("position", "market", marketId, lots, maxPositionLots, IF_ALL_FILLS, text);
}

function notionalBreach(
  { exposure }: WorstCaseMarket,
  marketId: MarketId,
  measure: () => CreditUnits,
): Breach | null {
  const { maxNotional } = exposure.limits;
  if (maxNotional === undefined) return null;
  const notional = measure();
  if (notional <= maxNotional) return null;
  const text = inQuote(exposure);
  return measuredBreach("notional", "market", marketId, notional, maxNotional, IF_ALL_FILLS, text);
}

function openNotionalBreach(worst: WorstCaseMarket, marketId: MarketId): Breach | null {
  const { maxOpenNotional } = worst.exposure.limits;
  if (maxOpenNotional === undefined) return null;
  const open = worst.ownOpenNotional;
  if (open <= maxOpenNotional) return null;
  const text = inQuote(worst.exposure);
  const what = "of open orders";
  return measuredBreach("open-notional", "market", marketId, open, maxOpenNotional, what, text);
}

function creditBreach(
  worst: WorstCaseMarket,
  { marketId, side }: MeasuredPlace,
  { maxCreditUseFraction }: AccountLimits,
): Breach | null {
  const { availableCredit } = worst.exposure;
  if (availableCredit === undefined) return null;
  const available = side === "BUY" ? availableCredit.buy : availableCredit.sell;
  const allowed =
    maxCreditUseFraction === undefined
      ? available
      : (available * toMillionths(maxCreditUseFraction)) / MILLION;
  const used = worst.uncountedCredit(side);
  if (used <= allowed) return null;
  const what = `of the exchange's available ${side} credit would be used`;
  const text = inQuote(worst.exposure);
  return measuredBreach("available-credit", "account", marketId, used, allowed, what, text);
}

function accountNotionalBreach(
  worst: WorstCaseAccount,
  marketId: MarketId,
  { maxNotional }: AccountLimits,
): Breach | null {
  if (maxNotional === undefined) return null;
  const { notional } = worst;
  if (notional <= maxNotional) return null;
  const text = inQuote(worst.markets.get(marketId)?.exposure);
  const what = "of position, all markets";
  return measuredBreach("account-notional", "account", marketId, notional, maxNotional, what, text);
}

function leverageBreach(
  worst: WorstCaseAccount,
  marketId: MarketId,
  { maxLeverage }: AccountLimits,
): Breach | null {
  if (maxLeverage === undefined) return null;
  const { notional, netValue } = worst;
  if (notional * MILLION <= atLeastZero(netValue) * toMillionths(maxLeverage)) return null;
  const what = "times the net value as position";
  return netValueBreach("leverage", marketId, notional, netValue, maxLeverage, what);
}

function marginUseBreach(
  worst: WorstCaseAccount,
  marketId: MarketId,
  { maxMarginUseFraction }: AccountLimits,
): Breach | null {
  if (maxMarginUseFraction === undefined) return null;
  const { initialMargin, netValue } = worst;
  if (initialMargin * MILLION <= atLeastZero(netValue) * toMillionths(maxMarginUseFraction))
    return null;
  const what = "of the net value as initial margin";
  return netValueBreach(
    "margin-use",
    marketId,
    initialMargin,
    netValue,
    maxMarginUseFraction,
    what,
  );
}

function liquidationBreach(
  worst: WorstCaseAccount,
  { minLiquidationDistanceBps }: AccountLimits,
): Breach | null {
  if (minLiquidationDistanceBps === undefined) return null;
  const near = nearLiquidation(worst, minLiquidationDistanceBps);
  if (near === undefined) return null;
  const allowed = String(minLiquidationDistanceBps);
  const value = `less than ${allowed}`;
  const distance = `${value} basis points from the mark to liquidation in the worst case`;
  const why = `${distance}, expected at least ${allowed}`;
  return {
    ...explainedBreach("liquidation-distance", near, value, allowed, why),
    scope: "account",
  };
}

/**
 * The first market that would be liquidated by a move of its mark by the distance. The contract's
 * liquidation price (docs/reference/protocol.md#liquidation-price) is (m' - n' - c) / p / (1 -+
 * mmr). It is at least that far away if the account is safe at the moved mark. That check needs no
 * division: netValue - notional * distance >= other maintenance + notional * (1 -+ distance) * mmr.
 */
function nearLiquidation(worst: WorstCaseAccount, distanceBps: number): MarketId | undefined {
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
