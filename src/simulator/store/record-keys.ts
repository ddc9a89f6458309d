import type { Hex, Int64Id, MarketId } from "../../core/units.js";

/** The key part of an account: its number, or its market for a house (`AccountKeys`). */
export type AccountKey = string;

/** Formats an id so that it sorts by its number. */
export function idKey(id: Int64Id | number): string {
  return String(id).padStart(20, "0");
}

/**
 * The keys of an exchange's records. Those of bounded lists end in an id, number or time that only
 * grows.
 */
export const KEYS = {
  format: "format",
  terms: "terms",
  state: "state",
  /** The chain's own records. */
  chain: "chain/",
  accounts: "account/",
  account: (account: AccountKey) => `account/${account}`,
  positions: "position/",
  position: (account: AccountKey, marketId: MarketId) => `position/${account}/${marketId}`,
  orders: "order/",
  order: (id: Int64Id) => `order/${idKey(id)}`,
  allHistory: "history/",
  history: (account: AccountKey, marketId: MarketId) => `history/${account}/${marketId}/`,
  allUserTrades: "user-trade/",
  userTrades: (account: AccountKey, marketId: MarketId) => `user-trade/${account}/${marketId}/`,
  allIncomes: "income/",
  incomes: (account: AccountKey) => `income/${account}/`,
  allTrades: "trade/",
  trades: (marketId: MarketId) => `trade/${marketId}/`,
  allPending: "pending/",
  pending: (tradeId: Int64Id) => `pending/${idKey(tradeId)}`,
  markets: "market/",
  market: (marketId: MarketId) => `market/${marketId}`,
  fundings: (marketId: MarketId) => `funding/${marketId}/`,
  /** Completed bars, of one interval. */
  bars: (marketId: MarketId, series: string, interval: string) =>
    `bar/${marketId}/${series}/${interval}/`,
  /** Bars in progress, of all intervals. */
  openBars: (marketId: MarketId, series: string) => `open-bars/${marketId}/${series}`,
  minutes: (marketId: MarketId, window: string) => `minute/${marketId}/${window}/`,
  hashes: "hash/",
  /** Used one-time requests. */
  spentRequests: "spent-request/",
  spentRequest: (digest: Hex) => `spent-request/${digest}`,
  /** Requests to the chain that are not yet in a block. */
  requests: "request/",
  request: (id: number) => `request/${idKey(id)}`,
} as const;
