import type { Lots, MarketId } from "../../../core/units.js";
import type { FlowAccount, FlowAccountMarket } from "../flow-accounts.js";

/**
 * The maximum distance of an order's price through the touch, in basis points of it. Its margin is
 * computed at its price.
 */
const REACH_BPS = 10;
/** The maximum share of the nearest levels that one order takes, and the number of those levels. */
const TAKE_SHARE = 0.5;
const NEAREST_LEVELS = 20;

/**
 * The outcome of a step towards a position: target reached, more to do when the book is deeper
 * again, or refused.
 */
export type TowardsResult = "done" | "more" | "refused";

/**
 * Brings an account's position nearer to a target by one IOC order: at most half of the twenty
 * nearest levels and as much as the account's margin allows.
 */
export function takeTowards(
  account: FlowAccount,
  { id, market }: { readonly id: MarketId; readonly market: FlowAccountMarket },
  targetLots: Lots,
): TowardsResult {
  const { instrument, minLots, maxLots } = market;
  const heldLots = Number(account.paper(id) / instrument.paperPerLot);
  const missing = targetLots - heldLots;
  if (Math.abs(missing) < minLots) {
    return "done";
  }
  const side = missing > 0 ? "BUY" : "SELL";
  const levels = market.levels(side === "BUY" ? "SELL" : "BUY", NEAREST_LEVELS);
  const touch = levels[0];
  if (touch === undefined) {
    return "more";
  }
  const reach = (side === "BUY" ? REACH_BPS : -REACH_BPS) / 10_000;
  const ticks = Math.max(
    1,
    side === "BUY" ? Math.floor(touch.ticks * (1 + reach)) : Math.ceil(touch.ticks * (1 + reach)),
  );
  const priceQuote = Math.max(side === "BUY" ? 0 : market.markQuote, ticks * instrument.tickQuote);
  const allowed = Math.floor(account.capacityQuote(id, side) / (priceQuote * instrument.lotBase));
  const displayed = levels.reduce((sum, level) => sum + level.lots, 0);
  const offered = Math.min(Math.floor(displayed * TAKE_SHARE), maxLots);
  const lots = Math.min(Math.abs(missing), allowed, offered);
  if (lots < minLots) {
    return allowed < minLots ? "done" : "more";
  }
  const taken = account.take(id, side, ticks, lots);
  if ("refused" in taken) {
    return "refused";
  }
  return lots === Math.min(Math.abs(missing), allowed) && taken.tradedLots === lots
    ? "done"
    : "more";
}
