/** How urgent a request is when the budget of weights is short. */
export type RequestUrgency = "cancel" | "place" | "query";

/** A request to an exchange, as ccxt names it, with the weight that the exchange counts. */
export interface ListedRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** The group of addresses in ccxt, which also says if a request is signed. */
  readonly api: keyof typeof BASES;
  readonly path: string;
  readonly weight: number;
  readonly urgency: RequestUrgency;
}

/** The addresses of the groups in ccxt. */
const BASES = {
  fapiPublic: "https://fapi.binance.com/fapi/v1",
  fapiPrivate: "https://fapi.binance.com/fapi/v1",
  fapiPrivateV2: "https://fapi.binance.com/fapi/v2",
  sapi: "https://api.binance.com/sapi/v1",
} as const;

const query = (api: keyof typeof BASES, path: string, weight: number) =>
  ({ method: "GET", api, path, weight, urgency: "query" }) as const;

/**
 * Every request to Binance USD-M, with its weight (https://developers.binance.com/docs/derivatives).
 * A place weighs nothing there, since orders are counted apart; here it weighs one, so that a flood
 * of places ends. `listenKey` creates the key of the user stream, or extends its life.
 */
export const USDM_REQUESTS = {
  time: query("fapiPublic", "time", 1),
  exchangeInfo: query("fapiPublic", "exchangeInfo", 1),
  bookTicker: query("fapiPublic", "ticker/bookTicker", 2),
  premiumIndex: query("fapiPublic", "premiumIndex", 1),
  place: { method: "POST", api: "fapiPrivate", path: "order", weight: 1, urgency: "place" },
  cancel: { method: "DELETE", api: "fapiPrivate", path: "order", weight: 1, urgency: "cancel" },
  order: query("fapiPrivate", "order", 1),
  openOrders: query("fapiPrivate", "openOrders", 1),
  allOrders: query("fapiPrivate", "allOrders", 5),
  userTrades: query("fapiPrivate", "userTrades", 5),
  income: query("fapiPrivate", "income", 30),
  account: query("fapiPrivateV2", "account", 5),
  positionMode: query("fapiPrivate", "positionSide/dual", 30),
  assetsMode: query("fapiPrivate", "multiAssetsMargin", 30),
  listenKey: {
    method: "POST",
    api: "fapiPrivate",
    path: "listenKey",
    weight: 1,
    urgency: "place",
  },
  keyRights: query("sapi", "account/apiRestrictions", 1),
} as const satisfies Readonly<Record<string, ListedRequest>>;

/** The name of one of {@link USDM_REQUESTS}. */
export type UsdmRequestName = keyof typeof USDM_REQUESTS;

/** Origin of the streams. */
export const USDM_STREAM_ORIGIN = "wss://fstream.binance.com";

/** Origin of the REST interface. */
export const USDM_REST_ORIGIN = "https://fapi.binance.com";

/** Origin at which the rights of an API key are read. */
export const USDM_RIGHTS_ORIGIN = "https://api.binance.com";

/** Path of the user stream; a listen key follows in the query. */
export const USDM_USER_STREAM = "/private/ws";

/** Path of the stream of touches; the names of the streams follow in the query. */
export const USDM_MARKET_STREAM = "/public/stream";

/** Every request and websocket, each with its method and address. */
export const USDM_ALLOWED: readonly string[] = [
  ...Object.values(USDM_REQUESTS).map(({ method, api, path }) => `${method} ${BASES[api]}/${path}`),
  `WS ${USDM_STREAM_ORIGIN}${USDM_USER_STREAM}`,
  `WS ${USDM_STREAM_ORIGIN}${USDM_MARKET_STREAM}`,
];
