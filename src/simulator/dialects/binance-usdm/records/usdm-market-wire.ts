/** The wire types of public market data. Decimals are strings, times milliseconds. */

export type UsdmLevel = readonly [price: string, quantity: string];

/** GET /fapi/v1/depth. */
export interface UsdmDepth {
  readonly lastUpdateId: number;
  readonly E: number;
  readonly T: number;
  readonly bids: readonly UsdmLevel[];
  readonly asks: readonly UsdmLevel[];
}

/** GET /fapi/v1/trades. */
export interface UsdmTrade {
  readonly id: number;
  readonly price: string;
  readonly qty: string;
  readonly quoteQty: string;
  readonly time: number;
  readonly isBuyerMaker: boolean;
}

/** GET /fapi/v1/aggTrades. */
export interface UsdmAggregateTrade {
  readonly a: number;
  readonly p: string;
  readonly q: string;
  /** First and last trade of it. */
  readonly f: number;
  readonly l: number;
  readonly T: number;
  readonly m: boolean;
}

/** One bar of GET /fapi/v1/klines. */
export type UsdmKline = readonly [
  openTime: number,
  open: string,
  high: string,
  low: string,
  close: string,
  volume: string,
  closeTime: number,
  quoteVolume: string,
  trades: number,
  takerBuyVolume: string,
  takerBuyQuoteVolume: string,
  unused: string,
];

/** GET /fapi/v1/premiumIndex. */
export interface UsdmPremiumIndex {
  readonly symbol: string;
  readonly markPrice: string;
  readonly indexPrice: string;
  readonly estimatedSettlePrice: string;
  readonly lastFundingRate: string;
  readonly interestRate: string;
  readonly nextFundingTime: number;
  readonly time: number;
}

/** GET /fapi/v1/ticker/24hr. */
export interface UsdmDayTicker {
  readonly symbol: string;
  readonly priceChange: string;
  readonly priceChangePercent: string;
  readonly weightedAvgPrice: string;
  readonly lastPrice: string;
  readonly lastQty: string;
  readonly openPrice: string;
  readonly highPrice: string;
  readonly lowPrice: string;
  readonly volume: string;
  readonly quoteVolume: string;
  readonly openTime: number;
  readonly closeTime: number;
  readonly firstId: number;
  readonly lastId: number;
  readonly count: number;
}

/** GET /fapi/v1/ticker/bookTicker. */
export interface UsdmBookTicker {
  readonly symbol: string;
  readonly bidPrice: string;
  readonly bidQty: string;
  readonly askPrice: string;
  readonly askQty: string;
  readonly time: number;
  readonly lastUpdateId: number;
}
