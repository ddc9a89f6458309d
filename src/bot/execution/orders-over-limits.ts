import type { Hex, MarketId } from "../../core/units.js";
import { TARGET_LEVEL } from "../../executor/plan-target.js";
import type { Breach } from "../../risk/breach.js";
import { checkPlace, describeBreach } from "../../risk/check-place.js";
import type { AccountExposure } from "../../risk/exposure.js";
import type { AccountLimits, MarketLimits } from "../../risk/limits.js";
import type { BotContext } from "../engine/context.js";
import { computeAccountExposure } from "./account-exposure.js";

/** Limits of the markets and of the account. */
export interface LimitSet {
  readonly marketLimits: ReadonlyMap<MarketId, MarketLimits>;
  readonly accountLimits: AccountLimits;
}

/** By market and order hash, why an order is over a limit. */
export type OrdersOverLimits = ReadonlyMap<MarketId, ReadonlyMap<Hex, string>>;

/**
 * Finds the quotes that changed limits no longer allow. Each resting order is checked as if it were
 * placed now, together with all others. The outermost go first, so that the nearest ones stay. An
 * order that was over the limits before, such as by a move of the mark, is left as it is.
 */
export function findOrdersOverLimits(context: BotContext, before: LimitSet): OrdersOverLimits {
  const { account, traderList } = context;
  const now = new LimitCheck(context, context);
  const then = new LimitCheck(context, before);
  const found = new Map<MarketId, Map<Hex, string>>();
  const orders = traderList
    .flatMap((trader) =>
      account.orders.mayStillFill(trader.marketId).map((order) => ({ order, trader })),
    )
    .filter(({ order: { level, mayFillLots } }) => level !== TARGET_LEVEL && mayFillLots > 0)
    .sort((a, b) => b.order.level - a.order.level);
  for (const { order, trader } of orders) {
    const { marketId, side, ticks, mayFillLots: lots, hash } = order;
    const proposal = { marketId, side, ticks, lots, hash };
    const breach = now.breachOf(proposal);
    if (breach === null) continue;
    const isOld = then.breachOf(proposal)?.limit === breach.limit;
    if (isOld && !trader.overLimit.has(hash)) continue;
    const reasons = found.get(marketId) ?? new Map<Hex, string>();
    found.set(marketId, reasons.set(hash, describeBreach(breach)));
    now.forget(marketId, hash);
    then.forget(marketId, hash);
  }
  return found;
}

/** The account's exposure under a set of limits. */
class LimitCheck {
  readonly #limits: AccountLimits;
  #exposure: AccountExposure;

  constructor(context: BotContext, { marketLimits, accountLimits }: LimitSet) {
    // Before the account is known there is no net value to measure against.
    this.#limits = context.account.equity === undefined ? {} : accountLimits;
    this.#exposure = computeAccountExposure(context, marketLimits);
  }

  breachOf(proposal: Parameters<typeof checkPlace>[0]): Breach | null {
    const breach = checkPlace(proposal, this.#exposure, this.#limits);
    // A missing mark delays an order that would be placed; it is no reason to cancel one.
    return breach?.limit === "no-mark" ? null : breach;
  }

  forget(marketId: MarketId, hash: Hex): void {
    const market = this.#exposure.markets.get(marketId);
    if (market === undefined) return;
    const orders = market.orders.filter((order) => order.hash !== hash);
    const markets = new Map(this.#exposure.markets).set(marketId, { ...market, orders });
    this.#exposure = { ...this.#exposure, markets };
  }
}
