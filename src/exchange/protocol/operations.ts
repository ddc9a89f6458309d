import { EVERY_INCOME_TYPE } from "../records.js";

/** How a parameter is written: `decimal` plain, `integer` a count, `id` 64-bit, `ms` an instant, `enum` one of `values`. */
export type ParameterType =
  | "string"
  | "decimal"
  | "integer"
  | "id"
  | "ms"
  | "address"
  | "hex"
  | "enum";

/** One parameter of an operation (specification, "Endpoints"). */
export interface OperationParameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly required: boolean;
  /** Of an `enum`. */
  readonly values?: readonly string[];
  /** Of an `integer`. */
  readonly max?: number;
  readonly note?: string;
}

/** One REST operation of the exchange. */
export interface Operation {
  /** What `call` takes, and what a client's method is named after. */
  readonly name: OperationName;
  readonly method: "GET" | "POST" | "DELETE";
  /** With the version prefix. */
  readonly path: string;
  /** Needs `account`, `timestamp` and `signature`, which are not in `parameters`. */
  readonly isPrivate: boolean;
  readonly parameters: readonly OperationParameter[];
  readonly summary: string;
}

/** The names of all operations. */
export type OperationName =
  | "time"
  | "exchangeInfo"
  | "orderbook"
  | "trades"
  | "historicalTrades"
  | "klines"
  | "markPriceKlines"
  | "offchainMarkPriceWithVolKlines"
  | "tradeVolume"
  | "fundingRate"
  | "riskyAccounts"
  | "contracts"
  | "registerAccount"
  | "account"
  | "buildOrder"
  | "placeOrder"
  | "cancelOrder"
  | "cancelAllOpenOrders"
  | "historyOrders"
  | "order"
  | "openOrder"
  | "openOrders"
  | "userTrades"
  | "incomes"
  | "balances"
  | "positions";

/** Limits that `GET /v1/orderbook` takes. */
export const BOOK_LIMITS = ["10", "20", "50", "100", "500", "1000"] as const;
/** Bars that the kline endpoints take. */
export const KLINE_INTERVALS = [
  "1M",
  "5M",
  "15M",
  "30M",
  "1H",
  "2H",
  "4H",
  "6H",
  "1D",
  "1W",
  "1MO",
] as const;
/** The `type` parameter of `GET /v1/incomes`. */
export const INCOME_TYPES = ["ALL", ...EVERY_INCOME_TYPE] as const;
/** The largest page of every paged endpoint. */
export const MAX_PAGE = 500;

const marketId = { name: "marketId", type: "string", required: true } as const;
const anyMarketId = {
  name: "marketId",
  type: "string",
  required: false,
  note: "all markets when absent",
} as const;
const limit = {
  name: "limit",
  type: "integer",
  required: false,
  max: MAX_PAGE,
  note: "default 100",
} as const;
const startTime = { name: "startTime", type: "ms", required: false, note: "inclusive" } as const;
const endTime = { name: "endTime", type: "ms", required: false, note: "exclusive" } as const;
const orderId = { name: "orderId", type: "id", required: true } as const;
const account = { name: "account", type: "address", required: true } as const;
const klineParameters = [
  marketId,
  { name: "interval", type: "enum", required: true, values: KLINE_INTERVALS },
  startTime,
  endTime,
  limit,
] as const;
const orderParameters = [
  marketId,
  { name: "side", type: "enum", required: true, values: ["BUY", "SELL"] },
  { name: "orderType", type: "enum", required: true, values: ["LIMIT", "MARKET"] },
  { name: "amount", type: "decimal", required: true, note: "base" },
  { name: "price", type: "decimal", required: true, note: "worst accepted price" },
  {
    name: "timeInForce",
    type: "enum",
    required: false,
    values: ["GTC", "FOK", "IOC", "GTT", "POST_ONLY"],
    note: "default GTC",
  },
  {
    name: "expiration",
    type: "ms",
    required: false,
    note: "GTT only: more than 1 minute, less than 7 days ahead",
  },
] as const;

type Described<Parameters extends readonly OperationParameter[]> = Omit<Operation, "parameters"> & {
  readonly parameters: Parameters;
};

function publicRead<const Parameters extends readonly OperationParameter[]>(
  name: OperationName,
  path: string,
  parameters: Parameters,
  summary: string,
): Described<Parameters> {
  return { name, method: "GET", path, isPrivate: false, parameters, summary };
}

function privateCall<const Parameters extends readonly OperationParameter[]>(
  name: OperationName,
  method: Operation["method"],
  path: string,
  parameters: Parameters,
  summary: string,
): Described<Parameters> {
  return { name, method, path, isPrivate: true, parameters, summary };
}

const TABLE = {
  time: publicRead("time", "/v1/time", [], "the exchange's clock"),
  exchangeInfo: publicRead(
    "exchangeInfo",
    "/v1/exchangeInfo",
    [],
    "trading rules, markets, rate limits, EIP-712 domain",
  ),
  orderbook: publicRead(
    "orderbook",
    "/v1/orderbook",
    [
      marketId,
      { name: "limit", type: "enum", required: false, values: BOOK_LIMITS, note: "default 500" },
    ],
    "a market's order book and its sequence",
  ),
  trades: publicRead("trades", "/v1/trades", [marketId, limit], "recent trades of a market"),
  historicalTrades: publicRead(
    "historicalTrades",
    "/v1/historicalTrades",
    [
      marketId,
      limit,
      { name: "fromId", type: "id", required: false, note: "ascending from this trade" },
    ],
    "older trades of a market",
  ),
  klines: publicRead("klines", "/v1/klines", klineParameters, "candles of a market"),
  markPriceKlines: publicRead(
    "markPriceKlines",
    "/v1/markPriceKlines",
    klineParameters,
    "candles of a market's mark price",
  ),
  offchainMarkPriceWithVolKlines: publicRead(
    "offchainMarkPriceWithVolKlines",
    "/v1/offchainMarkPriceWithVolKlines",
    klineParameters,
    "candles of a market's off-chain mark with what was traded; not in the specification",
  ),
  tradeVolume: publicRead(
    "tradeVolume",
    "/v1/platform/tradeVolume",
    [anyMarketId],
    "quote traded in all and each day; not in the specification",
  ),
  fundingRate: publicRead(
    "fundingRate",
    "/v1/fundingRate",
    [marketId, startTime, endTime, limit],
    "past funding rates",
  ),
  riskyAccounts: publicRead(
    "riskyAccounts",
    "/v1/riskyAccounts",
    [],
    "accounts near liquidation (may be stale: confirm on chain)",
  ),
  contracts: publicRead("contracts", "/v1/contracts", [], "a summary of all contracts"),
  registerAccount: privateCall(
    "registerAccount",
    "POST",
    "/v1/account",
    [account],
    "registers an account, signed by itself",
  ),
  account: privateCall("account", "GET", "/v1/account", [account], "an account's registration"),
  buildOrder: privateCall(
    "buildOrder",
    "POST",
    "/v1/order/build",
    orderParameters,
    "has the exchange build an order to sign",
  ),
  placeOrder: privateCall(
    "placeOrder",
    "POST",
    "/v1/order",
    [
      ...orderParameters,
      { name: "orderSignature", type: "hex", required: true, note: "over the order hash" },
      { name: "info", type: "hex", required: true, note: "32 bytes, as signed" },
      {
        name: "gasFeeQuotation",
        type: "string",
        required: false,
        note: "of the build, for an order below waiveGasFeeMinimumAmount",
      },
    ],
    "places a signed order",
  ),
  cancelOrder: privateCall(
    "cancelOrder",
    "DELETE",
    "/v1/order",
    [marketId, orderId],
    "cancels one order",
  ),
  cancelAllOpenOrders: privateCall(
    "cancelAllOpenOrders",
    "DELETE",
    "/v1/allOpenOrders",
    [anyMarketId],
    "cancels every open order of the account, in one market or in all",
  ),
  historyOrders: privateCall(
    "historyOrders",
    "GET",
    "/v1/historyOrders",
    [marketId, startTime, endTime, limit],
    "orders whose status is final",
  ),
  order: privateCall(
    "order",
    "GET",
    "/v1/order",
    [marketId, orderId],
    "one order whose status is final",
  ),
  openOrder: privateCall(
    "openOrder",
    "GET",
    "/v1/openOrder",
    [anyMarketId, { ...orderId, required: false }],
    "one active order",
  ),
  openOrders: privateCall("openOrders", "GET", "/v1/openOrders", [anyMarketId], "active orders"),
  userTrades: privateCall(
    "userTrades",
    "GET",
    "/v1/userTrades",
    [
      marketId,
      startTime,
      endTime,
      limit,
      { name: "fromId", type: "id", required: false, note: "not with startTime or endTime" },
    ],
    "the account's trades",
  ),
  incomes: privateCall(
    "incomes",
    "GET",
    "/v1/incomes",
    [
      marketId,
      { name: "type", type: "enum", required: false, values: INCOME_TYPES, note: "default ALL" },
      startTime,
      endTime,
      limit,
    ],
    "fees, funding, deposits and what else changed the account's credit",
  ),
  balances: privateCall(
    "balances",
    "GET",
    "/v1/balances",
    [],
    "the account's balances and positions",
  ),
  positions: privateCall("positions", "GET", "/v1/positions", [], "the account's positions"),
} satisfies Record<OperationName, Operation>;

/** What {@link OPERATIONS} holds, parameter by parameter: the types of a client's parameters come from it. */
export type OperationTable = typeof TABLE;

/** All operations of the specification, 10 public and 14 private, by name: the one source for clients and commands. */
export const OPERATIONS: Readonly<Record<OperationName, Operation>> = TABLE;
