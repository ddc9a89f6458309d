import {
  wireBalances,
  wireExchangeInfo,
  wireMarket,
  wireOrder,
  wirePosition,
  wireTrade,
} from "../../exchange/wire-records.js";

/**
 * Records as the specification's tables have them, for the client to read: no embedded exchange
 * wrote them.
 */

export const MARKET = wireMarket();
export const EXCHANGE_INFO = wireExchangeInfo([MARKET]);
export const ORDER = wireOrder();
export const TRADED_ORDER = wireOrder({
  averagePrice: "2000.25",
  pendingAmount: "0.01",
  availableAmount: "0.01",
  status: "PARTIAL_FILLED",
});
export const USER_TRADE = wireTrade({ realizedPNL: "12.5" });
export const POSITION = wirePosition();
export const POSITION_INSIDE = wirePosition({ lastUpdatedAt: 1_700_000_000_123 });
export const BALANCES = wireBalances({
  perpetualBalances: { btcusdc: { creditAmount: "-30009", paperAmount: "1.5", serialNumber: 3 } },
});
export const PUBLIC_TRADE = {
  id: 275287091667264,
  price: "30000.1",
  amount: "0.25",
  quoteAmount: "7500.025",
  time: 1_700_000_000_001,
  isBuyerMaker: true,
  status: "SETTLED",
};
export const KLINE = {
  time: 1_700_000_040_000,
  open: "30000",
  close: "30010.5",
  high: "30020",
  low: "29990",
  volume: "1.25",
  /** Not in the specification, and not on every server. */
  quote_volume: "37506.25",
};
export const FUNDING_RATE = {
  marketId: "btcusdc",
  fundingRate: "-0.000125",
  fundingTime: 1_699_977_600_000,
};
export const ORDERBOOK = {
  bids: [
    ["30000", "0.5"],
    ["29999.5", "1.25"],
  ],
  asks: [["30000.5", "0.25"]],
  sequence: 165851953,
  ticker_id: "btcusdc",
  timestamp: 1_700_000_000_000,
};
export const CONTRACT = {
  ticker_id: "btcusdc",
  base_currency: "BTC",
  quote_currency: "USDC",
  last_price: "30000",
  base_volume: "12.5",
  quote_volume: "375000",
  high: "30500",
  low: "29500",
  product_type: "PERP",
  open_interest: "4.2",
  index_price: "30001.25",
  index_name: "BTC/USDC",
  index_currency: "USDC",
  start_timestamp: "1699913600000",
  end_timestamp: "1700000000000",
  funding_rate: "0.0001",
  next_funding_rate: "-0.0001",
  next_funding_rate_timestamp: "1700006400000",
};
export const RISKY_ACCOUNT = {
  account: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  isSafe: false,
  risk: "1.02",
  positions: [POSITION_INSIDE],
};
export const ACCOUNT = {
  address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  createdAt: 1_700_000_000_000,
};
export const INCOME = {
  id: 12,
  type: "FUNDING_FEE",
  amount: "-1.5",
  time: 1_700_000_000_000,
  marketId: "btcusdc",
};
export const BUILD = {
  order: ORDER.json,
  orderHash: ORDER.hash,
  packedOrder: `0x${"00".repeat(160)}`,
  gasFeeQuotation: "a.token/with+signs=",
};
export const MARKET_STATE = {
  fundingRate: "0.0001",
  nextFundingTime: 1_700_006_400_000,
  markPrice: "30000.5",
  indexPrice: "30001",
  lastTradePrice: "29999.5",
  liquidationPriceOff: "0.005",
  liquidationThreshold: "0.01",
  openInterest: "12.5",
  "24hVolume": "123.4",
  price24HAgo: "29000",
};

/** Its JSON text, every number an integer as written. */
export const text = (record: unknown): string => JSON.stringify(record);
