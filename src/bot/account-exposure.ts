import type { Side } from "../core/units.js";
import type { MarketRules } from "../exchange/records.js";
import type { AccountExposure, ExposureOrder, MarketExposure } from "../risk/exposure.js";
import { feePpmOf, ratePpmOf } from "../risk/exposure.js";
import type { MarketLimits } from "../risk/limits.js";
import type { BotContext } from "./context.js";
import type { Desk } from "./desk.js";

/** The account in its worst case as risk judges it: every desk's position, marks, own and manual orders. */
export function accountExposure(context: BotContext, limits: ReadonlyMap<string, MarketLimits>): AccountExposure {
  const markets = new Map<string, MarketExposure>();
  for (const desk of context.desks.values()) markets.set(desk.marketId, marketExposure(context, desk, limits.get(desk.marketId) ?? {}));
  return { markets, netValue: context.account.equity ?? 0n };
}

function marketExposure(context: BotContext, desk: Desk, limits: MarketLimits): MarketExposure {
  const { account } = context;
  const { marketId, instrument, rules } = desk;
  const worst = account.orders.worst(marketId);
  const rates = ratesOf(rules);
  const markTicks = desk.state.markTicks;
  const orders: ExposureOrder[] = [...account.orders.exposed(marketId)];
  // What orders have matched and no trade has told yet is position already, in the worst case.
  if (worst.unseenBuyLots > 0) orders.push(unseen("BUY", worst.unseenBuyLots, markTicks));
  if (worst.unseenSellLots > 0) orders.push(unseen("SELL", worst.unseenSellLots, markTicks));
  return {
    marketId,
    instrument,
    positionLots: account.positionLots(marketId),
    markTicks,
    orders,
    foreignOrders: account.orders.foreign(marketId).map((order) => ({
      hash: order.hash,
      side: order.side,
      ticks: order.ticks,
      mayFillLots: order.availableLots,
      phase: order.status,
    })),
    maintenancePpm: rates.maintenancePpm,
    initialPpm: rates.initialPpm,
    feePpm: rates.feePpm,
    availableCredit: account.balances?.balances.availableCredit[marketId],
    limits,
  };
}

type Rates = Pick<MarketExposure, "maintenancePpm" | "initialPpm" | "feePpm">;

/** Rules are replaced as a whole when they are read again, and asked for their rates with every order. */
const RATES = new WeakMap<MarketRules, Rates>();

function ratesOf(rules: MarketRules): Rates {
  let rates = RATES.get(rules);
  if (rates === undefined) {
    rates = {
      maintenancePpm: ratePpmOf(rules.liquidationLeverage),
      initialPpm: ratePpmOf(rules.maxLeverage),
      feePpm: feePpmOf(rules.makerFeeRate, rules.takerFeeRate),
    };
    RATES.set(rules, rates);
  }
  return rates;
}

function unseen(side: Side, lots: number, markTicks: number): ExposureOrder {
  return {
    hash: `unseen ${side}`,
    side,
    ticks: Number.isFinite(markTicks) ? Math.round(markTicks) : 1,
    mayFillLots: 0,
    untoldLots: lots,
    phase: "matched",
  };
}
