import type { OrderPhase, OwnOrder } from "../../account/orders/order.js";
import type { MarketId, Side, Ticks } from "../../core/units.js";
import { roundAwayFromTouch, sideSign } from "../../core/units.js";
import type { Bot } from "../engine/bot.js";

const BPS = 10_000;
/** A distance is rounded to a hundredth of a basis point. */
const STEPS_PER_BPS = 100;

/** One of our orders that may still fill. */
export interface OwnQuote {
  /** The order's hash: its identity before the exchange has reported it. */
  readonly clientId: string;
  readonly side: Side;
  readonly price: string;
  /** The part that may still fill. */
  readonly amountBase: string;
  /**
   * Distance behind the best price of its side, our own orders included, in basis points of that
   * price: 0 at the touch, below 0 if the order is nearer to the other side than the book shows.
   * Undefined while the book has no such side or is not synchronised.
   */
  readonly distanceBps: number | undefined;
  readonly phase: OrderPhase;
  /** Since the exchange created it, or since it was sent while the exchange has not reported it. */
  readonly ageMs: number;
  /** Level of its slot, 0 innermost; undefined for an order of an earlier run without one. */
  readonly level: number | undefined;
}

/** Our orders of a market that may still fill: bids, then asks, the best of each first. */
export function listOwnQuotes({ context }: Bot, marketId: MarketId): readonly OwnQuote[] {
  const { account, traders, exchangeTime } = context;
  const trader = traders.get(marketId);
  if (trader === undefined) return [];
  const { instrument, book } = trader;
  const nowMs = exchangeTime.nowMs();
  const touch = (side: Side): Ticks =>
    book.isSynchronised ? (side === "BUY" ? book.bids : book.asks).bestTicks : Number.NaN;
  return [...account.orders.mayStillFill(marketId)].sort(compareQuotes).map((order) => ({
    clientId: order.hash,
    side: order.side,
    price: instrument.formatReportedPrice(order.ticks),
    amountBase: instrument.formatReportedAmount(order.mayFillLots),
    distanceBps: distanceBps(order, touch(order.side)),
    phase: order.phase,
    ageMs: Math.max(0, nowMs - (order.createdAtMs ?? order.sentAtMs ?? nowMs)),
    level: order.level < 0 ? undefined : order.level,
  }));
}

function compareQuotes(one: OwnOrder, other: OwnOrder): number {
  if (one.side !== other.side) return one.side === "BUY" ? -1 : 1;
  return sideSign(one.side) * (other.ticks - one.ticks);
}

function distanceBps({ side, ticks }: OwnOrder, touchTicks: Ticks): number | undefined {
  if (Number.isNaN(touchTicks)) return undefined;
  const behind = sideSign(side) * (touchTicks - roundAwayFromTouch(side, ticks));
  // Otherwise an ask at the touch would be at -0.
  if (behind === 0) return 0;
  return Math.round((behind / touchTicks) * BPS * STEPS_PER_BPS) / STEPS_PER_BPS;
}
