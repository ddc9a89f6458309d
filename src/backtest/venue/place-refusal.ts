import type { CreditUnits } from "../../core/units.js";
import type { Outcome, PlaceAction } from "../../exchange/venue.js";
import { heldValue } from "./market-terms.js";
import type { ReplayAccount } from "./replay-account.js";
import type { ReplayMarket } from "./replay-market.js";

/** Why the replayed exchange does not take an order, by its own codes; undefined when it does. The order is on the market's grid already. */
export function placeRefusal(
  action: PlaceAction,
  market: Pick<ReplayMarket, "terms" | "openCount">,
  account: ReplayAccount,
  nowMs: number,
): Outcome | undefined {
  const { rules, instrument } = market.terms;
  const { marketId, side, type, ticks, lots, timeInForce, expirationMs } = action;
  if (rules.status !== "TRADING") return refused(2014, "MARKET_TRADING_DISABLED_ERROR", `the market is ${rules.status}`);
  if (type === "LIMIT" && (ticks < rules.minTicks || ticks > rules.maxTicks)) {
    return refused(2016, "INVALID_ORDER_ERROR", `price of ${ticks} ticks, allowed ${rules.minTicks} to ${rules.maxTicks}`);
  }
  const [minLots, maxLots] = type === "LIMIT" ? [rules.minLots, rules.maxLots] : [rules.marketMinLots, rules.marketMaxLots];
  if (lots < minLots || lots > maxLots) return refused(2016, "INVALID_ORDER_ERROR", `${lots} lots, allowed ${minLots} to ${maxLots}`);
  if (timeInForce === "GTT" && expirationMs <= nowMs) return refused(2016, "INVALID_ORDER_ERROR", "its time is over");
  if (market.openCount >= rules.maxOpenOrders) {
    return refused(2016, "INVALID_ORDER_ERROR", `${market.openCount} orders are open, allowed ${rules.maxOpenOrders}`);
  }
  if (account.onlyReduces(marketId, side, lots)) return undefined;
  const atLimit: CreditUnits = instrument.creditCeil(ticks, lots);
  // What sells far below the market trades at the market, so the mark is what it takes on.
  const atMark = side === "SELL" ? heldValue(market.terms, lots, account.markOf(marketId) ?? 0n) : 0n;
  const needed = atMark > atLimit ? atMark : atLimit;
  const capacity = account.capacity(marketId, side);
  if (needed <= capacity) return undefined;
  const quote = (credit: CreditUnits): string => instrument.creditToDecimal(credit);
  const why = `${quote(needed)} needed, ${quote(capacity)} available`;
  // More margin would not help.
  return account.isBoundByExposure(marketId)
    ? refused(4013, "EXPOSURE_GREATER_THAN_MAX_ACCOUNT_LIMIT_ERROR", `${why} of an account's largest exposure in this market`)
    : refused(2012, "MARGIN_INSUFFICIENT_ERROR", why);
}

/** A typed refusal. */
export function refused(code: number, codeText: string, message: string): Outcome {
  return { result: "rejected", code, codeText, message, httpStatus: 400 };
}
