import type { UsdmParameters } from "./rest/usdm-parameters.js";

/** What a request must prove: nothing, an API key, or an API key and a signature. */
export type UsdmSecurity = "NONE" | "KEY" | "SIGNED";

/** One endpoint of the dialect. */
export interface UsdmOperation {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly security: UsdmSecurity;
  /** The weight of a request; some depend on its parameters. */
  readonly weight: number | ((parameters: UsdmParameters) => number);
  /** True if it counts as a new order. */
  readonly isOrder?: boolean;
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
} as const satisfies Readonly<Record<string, UsdmOperation>>;

/** The name of an endpoint. */
export type UsdmOperationName = keyof typeof USDM_OPERATIONS;
