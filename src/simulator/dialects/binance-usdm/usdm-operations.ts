import type { UsdmParameters } from "./rest/usdm-parameters.js";

/** The proof that a request needs: none, an API key, or an API key and a signature. */
export type UsdmSecurity = "NONE" | "KEY" | "SIGNED";

/** One endpoint of the dialect. */
export interface UsdmOperation {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly security: UsdmSecurity;
  /** The weight of a request; some depend on its parameters. */
  readonly weight: number | ((parameters: UsdmParameters) => number);
  /** The number of new orders that a request counts as; none when left out. */
  readonly orders?: (parameters: UsdmParameters) => number;
}

const byLimit =
  (usual: number, steps: readonly (readonly [upTo: number, weight: number])[], most: number) =>
  (parameters: UsdmParameters): number => {
    const limit = Number(parameters.get("limit") || usual);
    return steps.find(([upTo]) => limit <= upTo)?.[1] ?? most;
  };
/** One weight with a symbol, another for all of them. */
const bySymbol =
  (one: number, all: number) =>
  (parameters: UsdmParameters): number =>
    parameters.get("symbol") ? one : all;

const depthWeight = byLimit(
  500,
  [
    [50, 2],
    [100, 5],
    [500, 10],
  ],
  20,
);
const klinesWeight = byLimit(
  500,
  [
    [99, 1],
    [499, 2],
    [1000, 5],
  ],
  10,
);

const oneOrder = (): number => 1;
/** A batch counts each of its orders; a malformed one is refused later. */
const ordersOfBatch = (parameters: UsdmParameters): number =>
  (parameters.get("batchOrders") ?? "").split('"symbol"').length - 1 || 1;

/**
 * Every endpoint of the dialect, with the weights of
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/general-info
 * and of each endpoint's own page there.
 */
export const USDM_OPERATIONS = {
  ping: { method: "GET", path: "/fapi/v1/ping", security: "NONE", weight: 1 },
  time: { method: "GET", path: "/fapi/v1/time", security: "NONE", weight: 1 },
  exchangeInfo: { method: "GET", path: "/fapi/v1/exchangeInfo", security: "NONE", weight: 1 },
  depth: { method: "GET", path: "/fapi/v1/depth", security: "NONE", weight: depthWeight },
  trades: { method: "GET", path: "/fapi/v1/trades", security: "NONE", weight: 5 },
  historicalTrades: {
    method: "GET",
    path: "/fapi/v1/historicalTrades",
    security: "KEY",
    weight: 20,
  },
  aggTrades: { method: "GET", path: "/fapi/v1/aggTrades", security: "NONE", weight: 20 },
  klines: { method: "GET", path: "/fapi/v1/klines", security: "NONE", weight: klinesWeight },
  markPriceKlines: {
    method: "GET",
    path: "/fapi/v1/markPriceKlines",
    security: "NONE",
    weight: klinesWeight,
  },
  premiumIndex: {
    method: "GET",
    path: "/fapi/v1/premiumIndex",
    security: "NONE",
    weight: bySymbol(1, 10),
  },
  fundingRate: { method: "GET", path: "/fapi/v1/fundingRate", security: "NONE", weight: 1 },
  fundingInfo: { method: "GET", path: "/fapi/v1/fundingInfo", security: "NONE", weight: 1 },
  dayTicker: {
    method: "GET",
    path: "/fapi/v1/ticker/24hr",
    security: "NONE",
    weight: bySymbol(1, 40),
  },
  priceTicker: {
    method: "GET",
    path: "/fapi/v1/ticker/price",
    security: "NONE",
    weight: bySymbol(1, 2),
  },
  priceTickerV2: {
    method: "GET",
    path: "/fapi/v2/ticker/price",
    security: "NONE",
    weight: bySymbol(1, 2),
  },
  bookTicker: {
    method: "GET",
    path: "/fapi/v1/ticker/bookTicker",
    security: "NONE",
    weight: bySymbol(2, 5),
  },
  openInterest: { method: "GET", path: "/fapi/v1/openInterest", security: "NONE", weight: 1 },
  placeOrder: {
    method: "POST",
    path: "/fapi/v1/order",
    security: "SIGNED",
    weight: 0,
    orders: oneOrder,
  },
  placeBatch: {
    method: "POST",
    path: "/fapi/v1/batchOrders",
    security: "SIGNED",
    weight: 5,
    orders: ordersOfBatch,
  },
  cancelOrder: { method: "DELETE", path: "/fapi/v1/order", security: "SIGNED", weight: 1 },
  cancelBatch: { method: "DELETE", path: "/fapi/v1/batchOrders", security: "SIGNED", weight: 1 },
  cancelAll: { method: "DELETE", path: "/fapi/v1/allOpenOrders", security: "SIGNED", weight: 1 },
  countdownCancelAll: {
    method: "POST",
    path: "/fapi/v1/countdownCancelAll",
    security: "SIGNED",
    weight: 10,
  },
  order: { method: "GET", path: "/fapi/v1/order", security: "SIGNED", weight: 1 },
  openOrder: { method: "GET", path: "/fapi/v1/openOrder", security: "SIGNED", weight: 1 },
  openOrders: {
    method: "GET",
    path: "/fapi/v1/openOrders",
    security: "SIGNED",
    weight: bySymbol(1, 40),
  },
  allOrders: { method: "GET", path: "/fapi/v1/allOrders", security: "SIGNED", weight: 5 },
  userTrades: { method: "GET", path: "/fapi/v1/userTrades", security: "SIGNED", weight: 5 },
  income: { method: "GET", path: "/fapi/v1/income", security: "SIGNED", weight: 30 },
  balanceV2: { method: "GET", path: "/fapi/v2/balance", security: "SIGNED", weight: 5 },
  balanceV3: { method: "GET", path: "/fapi/v3/balance", security: "SIGNED", weight: 5 },
  accountV2: { method: "GET", path: "/fapi/v2/account", security: "SIGNED", weight: 5 },
  accountV3: { method: "GET", path: "/fapi/v3/account", security: "SIGNED", weight: 5 },
  positionRiskV2: { method: "GET", path: "/fapi/v2/positionRisk", security: "SIGNED", weight: 5 },
  positionRiskV3: { method: "GET", path: "/fapi/v3/positionRisk", security: "SIGNED", weight: 5 },
  commissionRate: {
    method: "GET",
    path: "/fapi/v1/commissionRate",
    security: "SIGNED",
    weight: 20,
  },
  leverageBracket: {
    method: "GET",
    path: "/fapi/v1/leverageBracket",
    security: "SIGNED",
    weight: 1,
  },
  symbolConfig: { method: "GET", path: "/fapi/v1/symbolConfig", security: "SIGNED", weight: 5 },
  accountConfig: { method: "GET", path: "/fapi/v1/accountConfig", security: "SIGNED", weight: 5 },
  setLeverage: { method: "POST", path: "/fapi/v1/leverage", security: "SIGNED", weight: 1 },
  setMarginType: { method: "POST", path: "/fapi/v1/marginType", security: "SIGNED", weight: 1 },
  setPositionMode: {
    method: "POST",
    path: "/fapi/v1/positionSide/dual",
    security: "SIGNED",
    weight: 1,
  },
  positionMode: {
    method: "GET",
    path: "/fapi/v1/positionSide/dual",
    security: "SIGNED",
    weight: 30,
  },
  setMultiAssets: {
    method: "POST",
    path: "/fapi/v1/multiAssetsMargin",
    security: "SIGNED",
    weight: 1,
  },
  multiAssets: {
    method: "GET",
    path: "/fapi/v1/multiAssetsMargin",
    security: "SIGNED",
    weight: 30,
  },
  createListenKey: { method: "POST", path: "/fapi/v1/listenKey", security: "KEY", weight: 1 },
  keepListenKey: { method: "PUT", path: "/fapi/v1/listenKey", security: "KEY", weight: 1 },
  closeListenKey: { method: "DELETE", path: "/fapi/v1/listenKey", security: "KEY", weight: 1 },
} as const satisfies Readonly<Record<string, UsdmOperation>>;

/** The name of an endpoint. */
export type UsdmOperationName = keyof typeof USDM_OPERATIONS;
