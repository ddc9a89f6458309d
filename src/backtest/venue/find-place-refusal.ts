import { larger } from "../../core/bigints.js";
import type { CreditUnits, Lots } from "../../core/units.js";
import { venueErrorCode } from "../../exchange/protocol/errors.js";
import type { MarketRules, TimeInForce } from "../../exchange/records.js";
import { isValidGttLifetime } from "../../exchange/signing/gtt-lifetime.js";
import type { Outcome, PlaceAction } from "../../exchange/venue.js";
import type { ReplayAccount } from "./replay-account.js";
import type { ReplayMarket } from "./replay-market.js";

/** Error code of a market that does not trade; 2015 for one that never will again. */
const CLOSED_MARKET_CODES: Readonly<Record<string, number>> = { PENDING: 2013, SUSPENDED: 2014 };
/** The times in force of orders that may rest, and count towards the limit. */
const RESTING: ReadonlySet<TimeInForce> = new Set(["GTC", "GTT", "POST_ONLY"]);

/**
 * The exchange's refusal of an order, by its own codes; undefined when it accepts it. The order is
 * on the market's grid already.
 */
export function findPlaceRefusal(
  action: PlaceAction,
  market: Pick<ReplayMarket, "terms" | "openCount">,
  account: ReplayAccount,
  nowMs: number,
): Outcome | undefined {
  const { rules, instrument } = market.terms;
  const { marketId, side, type, ticks, lots, timeInForce, expirationMs } = action;
  if (rules.status !== "TRADING")
    return refuseWith(CLOSED_MARKET_CODES[rules.status] ?? 2015, `the market is ${rules.status}`);
  if (type === "LIMIT" && ticks > rules.maxTicks)
    return refuseWith(4010, `price of ${ticks} ticks, allowed up to ${rules.maxTicks}`);
  if (type === "LIMIT" && ticks < rules.minTicks)
    return refuseWith(4011, `price of ${ticks} ticks, allowed from ${rules.minTicks}`);
  const [minLots, maxLots, step] =
    type === "LIMIT" ? [rules.minLots, rules.maxLots, 1] : marketLots(rules);
  if (lots < minLots || lots > maxLots || lots % step !== 0) {
    return refuseWith(2016, `${lots} lots, allowed ${minLots} to ${maxLots} in steps of ${step}`);
  }
  if (timeInForce === "GTT" && !isValidGttLifetime(expirationMs - nowMs)) {
    return refuseWith(1111, "expiration is not more than 1 minute and less than 7 days ahead");
  }
  if (type === "LIMIT" && RESTING.has(timeInForce) && market.openCount >= rules.maxOpenOrders) {
    return refuseWith(2017, `${market.openCount} orders are open, allowed ${rules.maxOpenOrders}`);
  }
  if (account.isReduceOnly(marketId, side, lots)) return undefined;
  const atLimit: CreditUnits = instrument.creditCeil(ticks, lots);
  // A sale far below the market trades at the market, so its exposure is counted at the mark.
  const atMark =
    side === "SELL"
      ? instrument.markValue(instrument.lotsToPaper(lots), account.markOf(marketId) ?? 0n)
      : 0n;
  const needed = larger(atMark, atLimit);
  const { buy, sell, boundByExposure } = account.capacity(marketId);
  const capacity = side === "BUY" ? buy : sell;
  if (needed <= capacity) return undefined;
  const quote = (credit: CreditUnits): string => instrument.creditToDecimal(credit);
  const why = `${quote(needed)} needed, ${quote(capacity)} available`;
  // More margin would not help.
  return boundByExposure
    ? refuseWith(4013, `${why} of an account's largest exposure in this market`)
    : refuseWith(2012, why);
}

/** A refusal by one of the exchange's documented codes, under its own name. */
export function refuseWith(code: number, message: string): Outcome {
  const { name = "UNKNOWN_ERROR", codeText = name } = venueErrorCode(code) ?? {};
  return { result: "rejected", code, codeText, message, httpStatus: 400 };
}

function marketLots({
  marketMinLots,
  marketMaxLots,
  marketStepLots = 1,
}: MarketRules): readonly [Lots, Lots, Lots] {
  return [marketMinLots, marketMaxLots, marketStepLots];
}
