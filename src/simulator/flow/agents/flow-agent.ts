import type { Lots, Ms, Side, Ticks } from "../../../core/units.js";
import type { FlowMarket } from "../flow-market.js";

/** An agent's view when it acts: its market and the current fundamental. */
export interface AgentView {
  readonly market: FlowMarket;
  /** The fundamental in fractional ticks. */
  readonly fundamentalTicks: number;
}

/**
 * One participant of a synthetic market. It acts when its time has come and returns the delay until
 * the next time.
 */
export interface FlowAgent {
  /** Unique in its market; identifies its orders. */
  readonly name: string;
  /**
   * Places the agent's opening orders before the market opens. Returns the delay until it first
   * acts; Infinity for never.
   */
  open(view: AgentView): Ms;
  /**
   * Acts, and returns the delay until it acts again, in milliseconds, at least 1; Infinity for
   * never.
   */
  act(view: AgentView): Ms;
}

/** Converts quote notional to whole lots at a price, at least one. */
export function notionalToLots(view: AgentView, quote: number, ticks: Ticks): Lots {
  const { tickQuote, lotBase } = view.market.instrument;
  return Math.max(1, Math.round(quote / (ticks * tickQuote * lotBase)));
}

/** The maximum distance of a taker's price through the touch, in basis points of it. */
const REACH_BPS = 25;
/**
 * The maximum share of the nearest twenty levels that one taker takes, so that the book is never
 * swept empty.
 */
const TAKE_SHARE = 0.5;

/**
 * Takes up to `lots` from the other side: at most half of its nearest twenty levels, at most 25
 * basis points through the touch and never beyond `limitTicks`. Returns true if an order was sent.
 */
export function take(
  view: AgentView,
  agent: string,
  side: Side,
  lots: Lots,
  limitTicks?: Ticks,
): boolean {
  const { bids, asks } = view.market.depth(20);
  const levels = side === "BUY" ? asks : bids;
  const touch = levels[0];
  if (touch === undefined) return false;
  const reach =
    side === "BUY"
      ? Math.floor(touch.ticks * (1 + REACH_BPS / 10_000))
      : Math.ceil(touch.ticks * (1 - REACH_BPS / 10_000));
  const ticks =
    limitTicks === undefined
      ? reach
      : side === "BUY"
        ? Math.min(reach, limitTicks)
        : Math.max(reach, limitTicks);
  const displayed = levels.reduce((sum, level) => sum + level.lots, 0);
  const wanted = Math.min(lots, Math.floor(displayed * TAKE_SHARE));
  if (wanted < 1 || ticks < 1) return false;
  view.market.place({ agent, side, ticks, lots: wanted, timeInForce: "IOC" });
  return true;
}
