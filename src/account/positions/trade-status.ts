import type { VenueTrade } from "../../exchange/records.js";

/**
 * A later status replaces an earlier one in whatever order they are reported. A failure is final.
 */
const SETTLED_RANK = 2;
const STATUS_RANK: Readonly<Record<string, number>> = {
  CREATED: 0,
  SETTLED: SETTLED_RANK,
  FAILED: 3,
};
const UNKNOWN_STATUS_RANK = 1;

/** Returns true if a report of a trade has a later status than another report of the same trade. */
export function isLaterThan(trade: VenueTrade, known: VenueTrade): boolean {
  return rankOf(trade) > rankOf(known);
}

export function isFailedTrade(trade: VenueTrade): boolean {
  return trade.status === "FAILED";
}

export function isSettledTrade(trade: VenueTrade): boolean {
  return rankOf(trade) === SETTLED_RANK;
}

/** Settled or failed. */
export function isFinalTrade(trade: VenueTrade): boolean {
  return rankOf(trade) >= SETTLED_RANK;
}

function rankOf(trade: VenueTrade): number {
  return STATUS_RANK[trade.status] ?? UNKNOWN_STATUS_RANK;
}
