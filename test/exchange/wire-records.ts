import type { WireBalances, WirePosition, WireUserTrade } from "#exchange/account.js";
import type { WireExchangeInfo, WireMarket } from "#exchange/market.js";
import type { WireOrder } from "#exchange/order.js";

/** Records as the exchange writes them, for tests to bend. */

export const PERP = "0x9fE46736679d2D9A65F0992F2272dE9f3c7fa6e0";
export const HASH = `0x${"ab".repeat(32)}`;
export const INFO = "0xffffa50cef85c000000110d9316ec000000000007a432b800000000000000001";

export function wireMarket(change: Partial<WireMarket> = {}): WireMarket {
  return {
    id: "btcusdc",
    pair: "btcusdc",
    symbol: "btcusdc",
    baseAssetName: "BTC",
    quoteAssetName: "USDC",
    desc: "",
    OrderType: ["LIMIT", "MARKET"],
    timeInForce: ["GTC", "IOC", "FOK", "POST_ONLY"],
    filters: [
      { filterType: "PRICE_FILTER", maxPrice: "1000000", minPrice: "0.1", tickSize: "0.1" },
      { filterType: "AMOUNT_FILTER", maxAmount: "100", minAmount: "0.001", stepSize: "0.001" },
      {
        filterType: "MARKET_AMOUNT_FILTER",
        maxAmount: "50",
        minAmount: "0.002",
        stepSize: "0.001",
      },
      { filterType: "MAX_OPEN_ORDERS_FILTER", limit: 20 },
    ],
    fundingIntervalSeconds: 28800,
    indexPriceSource: { text: "", url: "" },
    markPriceSource: { text: "", url: "" },
    liquidatedAt: null,
    suspendedAt: null,
    liquidationLeverage: "33.3",
    makerFee: "-0.0001",
    takerFee: "0.0003",
    maxExposure: "10000000",
    maxLeverage: 20,
    perpetualContractAddress: PERP,
    stage: "TRADING",
    status: "TRADING",
    ...change,
  };
}

export function wireExchangeInfo(markets: readonly unknown[] = [wireMarket()]): WireExchangeInfo {
  return {
    assets: [{ fullName: "USD Coin", name: "USDC" }],
    dealerInfo: {
      creditDecimals: 6,
      paperDecimals: 18,
      insuranceAmount: "0",
      totalTraders: 1,
      totalVolume: "0",
    },
    eip712: {
      EIP712_DOMAIN_SEPARATOR: "0x7fdfe1c32d05803fdc2c66fdd0770dba9f4b7e589cbb54e930f8ed285d8581e0",
      EIP712_DOMAIN_TYPEHASH: "0x8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f",
      EIP712_ORDER_TYPE: "0x6ce22f1be37c24a60b088bc91a456d1ae077db421fa72ffe85abd6af245899e4",
      chainId: 31337,
      domainName: "JOJO",
      domainVersion: "1",
      verifyingContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    },
    gasFeeInfo: {
      gasLimit: "0",
      gasPrice: "0",
      lastEthIndexPrice: "0",
      waiveGasFeeMinimumAmount: "10",
    },
    markets: markets as readonly WireMarket[],
    rateLimits: [
      { name: "COMMON", intervalSeconds: 60, limit: 2400 },
      { name: "ORDER", intervalSeconds: 60, limit: 1200 },
    ],
    serverTime: 1_700_000_000_000,
    timezone: "UTC",
  };
}

export function wireOrder(change: Partial<WireOrder> = {}): WireOrder {
  return {
    id: 275287091667264,
    account: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    marketId: "btcusdc",
    side: "BUY",
    price: "2000.5",
    tif: "GTC",
    type: "LIMIT",
    amount: "0.02",
    availableAmount: "0.02",
    filledAmount: "0",
    canceledAmount: "0",
    pendingAmount: "0",
    expiredAmount: "0",
    failedAmount: "0",
    json: {
      perp: PERP,
      signer: PERP,
      sender: `0x${"0".repeat(40)}`,
      paperAmount: "20000000000000000",
      creditAmount: "-40010000",
      info: INFO,
    },
    hash: HASH,
    createdAt: 1_700_000_000_000,
    status: "NEW",
    trades: null,
    expiration: 0,
    ...change,
  };
}

export function wireTrade(change: Partial<WireUserTrade> = {}): WireUserTrade {
  return {
    id: 11,
    commission: "-0.004001",
    isMaker: true,
    isBuyer: true,
    marketId: "btcusdc",
    price: "2000.5",
    amount: "0.02",
    quoteAmount: "40.01",
    time: 1_700_000_000_001,
    status: "SETTLED",
    timeInForce: "GTC",
    realizedPNL: "0",
    orderType: "LIMIT",
    ...change,
  };
}

export function wirePosition(change: Partial<WirePosition> = {}): WirePosition {
  return {
    marketId: "btcusdc",
    side: "SHORT",
    status: "OPEN",
    size: "0.5",
    maxSize: "0.5",
    unrealizedPnl: "-1.25",
    realizedPnl: "0",
    entryPrice: "2000",
    exitPrice: "0",
    closedAt: null,
    sumOpen: "0.5",
    sumClose: "0",
    liquidationPrice: "2500",
    ...change,
  };
}

export function wireBalances(change: Partial<WireBalances> = {}): WireBalances {
  return {
    availableCreditAmounts: { btcusdc: { buy: "1000.5", sell: "999" } },
    availableMargin: "990",
    exposure: "1000",
    frozenMargin: "10",
    isSafe: true,
    leverage: "1",
    marginRate: "0.05",
    netValue: "1000.123456",
    pendingWithdrawPrimaryCreditAmount: "0",
    pendingWithdrawSecondaryCreditAmount: "0",
    perpetualBalances: {},
    positionMargin: "0",
    primaryCreditAmount: "-5.5",
    secondaryCreditAmount: "1005.623456",
    ...change,
  };
}
