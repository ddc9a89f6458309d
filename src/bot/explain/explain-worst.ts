import type { CreditUnits, MarketId } from "../../core/units.js";
import type { Plan, PlannedPlace } from "../../executor/plan.js";
import { checkPlace, describeBreach } from "../../risk/check-place.js";
import { computeWorstCase, type WorstCaseAccount } from "../../risk/compute-worst-case.js";
import type { AccountExposure, ExposureOrder, MarketExposure } from "../../risk/exposure.js";
import type { BotContext } from "../engine/context.js";
import { computeAccountExposure } from "../execution/account-exposure.js";
import type { MarketTrader } from "../market/market-trader.js";

/** The account's worst case with every planned place on the exchange. */
export interface PlannedWorst {
  readonly worst: WorstCaseAccount;
  /** Why risk would block a planned place, by {@link placeKey}. */
  readonly refusals: ReadonlyMap<string, string>;
}

/** The plan of a market: the newest one, or one that is only looked at. */
export type PlanOf = (trader: MarketTrader) => Plan | undefined;

/** Key of a planned place. */
export function placeKey(
  marketId: MarketId,
  { side, level }: Pick<PlannedPlace, "side" | "level">,
): string {
  return `${marketId} ${side} ${level}`;
}

/**
 * Adds every market's planned places to the account's worst case, each checked together with those
 * before it, in the order in which they would be sent.
 * @param balancesKnown if false, the account's own limits do not apply: there is no net value to
 * measure against.
 */
export function plannedWorst(
  context: BotContext,
  balancesKnown: boolean,
  planOf: PlanOf = ({ plan }) => plan,
): PlannedWorst {
  const limits = balancesKnown ? context.accountLimits : {};
  let exposure = withoutCancelled(
    computeAccountExposure(context, context.marketLimits),
    context,
    planOf,
  );
  const refusals = new Map<string, string>();
  for (const [marketId, trader] of context.traders) {
    for (const place of planOf(trader)?.places ?? []) {
      const breach = checkPlace(
        { marketId, side: place.side, ticks: place.ticks, lots: place.lots },
        exposure,
        limits,
      );
      if (breach === null) exposure = withOrder(exposure, marketId, place);
      else refusals.set(placeKey(marketId, place), describeBreach(breach));
    }
  }
  return { worst: computeWorstCase(exposure, undefined), refusals };
}

/**
 * How far a market's mark may move against the account before it is liquidated, as a fraction of
 * the mark: the contract's liquidation price (docs/reference/protocol.md#liquidation-price) for the
 * worse of both sides, other markets at their worst. Negative: already below maintenance. Undefined
 * without a position.
 */
export function liquidationDistance(
  account: WorstCaseAccount,
  marketId: MarketId,
): { readonly fraction: number; readonly side: "long" | "short" } | undefined {
  const market = account.markets.get(marketId);
  if (market === undefined) return undefined;
  const rate = market.exposure.maintenancePpm / 1_000_000;
  const free = Number(account.netValue - (account.maintenance - market.maintenance));
  const distance = (notional: CreditUnits, moved: number): number =>
    (free - Number(notional) * rate) / (Number(notional) * moved);
  const long =
    market.longNotional > 0n ? distance(market.longNotional, 1 - rate) : Number.POSITIVE_INFINITY;
  const short =
    market.shortNotional > 0n ? distance(market.shortNotional, 1 + rate) : Number.POSITIVE_INFINITY;
  if (long === Number.POSITIVE_INFINITY && short === Number.POSITIVE_INFINITY) return undefined;
  return long < short ? { fraction: long, side: "long" } : { fraction: short, side: "short" };
}

function withoutCancelled(
  exposure: AccountExposure,
  context: BotContext,
  planOf: PlanOf,
): AccountExposure {
  const markets = new Map<MarketId, MarketExposure>();
  for (const [marketId, market] of exposure.markets) {
    const trader = context.traders.get(marketId);
    const plan = trader === undefined ? undefined : planOf(trader);
    const cancelled = new Set((plan?.cancels ?? []).map(({ hash }) => hash));
    markets.set(marketId, {
      ...market,
      orders: market.orders.filter(({ hash }) => !cancelled.has(hash)),
    });
  }
  return { ...exposure, markets };
}

function withOrder(
  exposure: AccountExposure,
  marketId: MarketId,
  place: PlannedPlace,
): AccountExposure {
  const market = exposure.markets.get(marketId);
  if (market === undefined) return exposure;
  const order: ExposureOrder = {
    hash: `planned ${placeKey(marketId, place)}`,
    side: place.side,
    ticks: place.ticks,
    mayFillLots: place.lots,
    phase: "sent",
  };
  return {
    ...exposure,
    markets: new Map(exposure.markets).set(marketId, {
      ...market,
      orders: [...market.orders, order],
    }),
  };
}
