import type { OperationName } from "./protocol/operations.js";

/** Which of the exchange's rate limits (`exchangeInfo.rateLimits`, by name) an operation counts against. */
export type RateBuckets = Readonly<Record<OperationName, readonly string[]>>;

const READ: readonly string[] = ["COMMON"];
const WRITE: readonly string[] = ["ORDER", "COMMON"];

/**
 * What counts against which limit, in the one place where it is written. The exchange does not publish whether its two buckets overlap:
 * what builds, places or cancels is counted in both, which is right or too careful either way (protocol, section 3).
 */
export const RATE_BUCKETS: RateBuckets = {
  time: READ,
  exchangeInfo: READ,
  orderbook: READ,
  trades: READ,
  historicalTrades: READ,
  klines: READ,
  markPriceKlines: READ,
  offchainMarkPriceWithVolKlines: READ,
  tradeVolume: READ,
  fundingRate: READ,
  riskyAccounts: READ,
  contracts: READ,
  registerAccount: READ,
  account: READ,
  buildOrder: WRITE,
  placeOrder: WRITE,
  cancelOrder: WRITE,
  cancelAllOpenOrders: WRITE,
  historyOrders: READ,
  order: READ,
  openOrder: READ,
  openOrders: READ,
  userTrades: READ,
  incomes: READ,
  balances: READ,
  positions: READ,
};

/** The same where the two limits do not overlap: what builds, places or cancels counts against ORDER alone. */
export const DISJOINT_RATE_BUCKETS: RateBuckets = Object.fromEntries(
  Object.entries(RATE_BUCKETS).map(([name, buckets]) => [
    name,
    buckets === WRITE ? ["ORDER"] : buckets,
  ]),
) as RateBuckets;
