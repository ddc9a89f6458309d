import type { MarketId } from "../../core/units.js";
import type { Bot } from "../engine/bot.js";

/** How long and how near to the touch a market was quoted since the start, weighted by time. */
export interface QuotingTimeStatus {
  /** Share of the time with an own bid and an own ask on the book. */
  readonly bothSidesFraction: number;
  readonly bidFraction: number;
  readonly askFraction: number;
  /**
   * Mean distance of the best own bid behind the best bid of others, in basis points of it; below 0
   * inside the spread. Absent if there never was one.
   */
  readonly bidDistanceBps?: number;
  readonly askDistanceBps?: number;
}

/** Quoted time and distance of one market since the start. */
export function readQuotingTime({ context }: Bot, marketId: MarketId): QuotingTimeStatus {
  const times = context.statistics.market(marketId)?.quoting(context.clock.monotonicMs());
  if (times === undefined) return { bothSidesFraction: 0, bidFraction: 0, askFraction: 0 };
  const { totalUs, bothUs, bid, ask } = times;
  const share = (us: number): number =>
    totalUs === 0 ? 0 : Math.round((1e6 * us) / totalUs) / 1e6;
  const bidBps = toDistance(bid.meanDistanceBps);
  const askBps = toDistance(ask.meanDistanceBps);
  return {
    bothSidesFraction: share(bothUs),
    bidFraction: share(bid.restingUs),
    askFraction: share(ask.restingUs),
    ...(bidBps === undefined ? {} : { bidDistanceBps: bidBps }),
    ...(askBps === undefined ? {} : { askDistanceBps: askBps }),
  };
}

function toDistance(bps: number): number | undefined {
  return Number.isNaN(bps) ? undefined : Math.round(1e4 * bps) / 1e4;
}
