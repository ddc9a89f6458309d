import type { z } from "zod";
import {
  account,
  balances,
  income,
  riskyAccount,
  undatedPosition,
  userTrade,
} from "../../exchange/protocol/account.js";
import { exchangeInfo } from "../../exchange/protocol/market.js";
import {
  contracts,
  fundingRate,
  kline,
  orderBook,
  publicTrade,
  time,
  tradeVolume,
} from "../../exchange/protocol/market-data.js";
import { builtOrder, order } from "../../exchange/protocol/order.js";
import {
  ACCOUNT,
  AMOUNT,
  ANY_MARKET,
  ANY_ORDER_ID,
  type ApiParameter,
  BOOK_LIMIT,
  END_TIME,
  FROM_ID,
  FROM_ID_ALONE,
  INCOME_TYPE,
  INTERVAL,
  IS_VALID,
  LIMIT,
  MARKET,
  OPERATOR,
  ORDER_ID,
  ORDER_TERMS,
  SIGNED_ORDER,
  START_TIME,
} from "./api-parameters.js";
import { faucetShape, operatorsShape, withdrawalShape } from "./custody-shapes.js";

/** One operation of the exchange's REST interface, as it is offered. */
export interface ApiOperation {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly group: "market data" | "account" | "orders" | "custody";
  readonly summary: string;
  /** Whether it is signed, and so carries account, timestamp and signature besides `parameters`. */
  readonly isSigned: boolean;
  readonly parameters: readonly ApiParameter[];
  /** Of the answer's body, or of each element where it is a list; null for 204. */
  readonly answer: z.ZodType | null;
  readonly isList: boolean;
}

type Rest = Omit<ApiOperation, "method" | "path" | "group" | "summary" | "isSigned" | "isList"> & {
  readonly isList?: boolean;
};

function market(path: string, summary: string, { isList = false, ...rest }: Rest): ApiOperation {
  return { method: "GET", path, group: "market data", summary, isSigned: false, isList, ...rest };
}

function signed(
  method: ApiOperation["method"],
  path: string,
  group: ApiOperation["group"],
  summary: string,
  { isList = false, ...rest }: Rest,
): ApiOperation {
  return { method, path, group, summary, isSigned: true, isList, ...rest };
}

const BARS: readonly ApiParameter[] = [MARKET, INTERVAL, START_TIME, END_TIME, LIMIT];

/** Paths under `/v1` that the specification does not list. */
export const UNLISTED_PATHS: ReadonlySet<string> = new Set([
  "/v1/offchainMarkPriceWithVolKlines",
  "/v1/platform/tradeVolume",
]);

/** Every operation: those of the specification under `/v1`, and beside it what stands for a wallet's deposits and contract calls. */
export const API_OPERATIONS: readonly ApiOperation[] = [
  market("/v1/time", "The exchange's clock", { parameters: [], answer: time }),
  market(
    "/v1/exchangeInfo",
    "Markets with their filters and fees, rate limits, the EIP-712 domain",
    {
      parameters: [],
      answer: exchangeInfo,
    },
  ),
  market("/v1/orderbook", "A market's book", {
    parameters: [MARKET, BOOK_LIMIT],
    answer: orderBook,
  }),
  market("/v1/trades", "The newest trades of a market", {
    parameters: [MARKET, LIMIT],
    answer: publicTrade,
    isList: true,
  }),
  market("/v1/historicalTrades", "Trades of a market from an id on, or the newest", {
    parameters: [MARKET, LIMIT, FROM_ID],
    answer: publicTrade,
    isList: true,
  }),
  market("/v1/klines", "Candles of a market's trades", {
    parameters: BARS,
    answer: kline,
    isList: true,
  }),
  market("/v1/markPriceKlines", "Candles of a market's mark price", {
    parameters: BARS,
    answer: kline,
    isList: true,
  }),
  market(
    "/v1/offchainMarkPriceWithVolKlines",
    "Candles of a market's off-chain mark, with what was traded",
    {
      parameters: BARS,
      answer: kline,
      isList: true,
    },
  ),
  market("/v1/platform/tradeVolume", "What was traded in all and each day, in quote", {
    parameters: [ANY_MARKET],
    answer: tradeVolume,
  }),
  market("/v1/fundingRate", "Past fundings of a market", {
    parameters: [MARKET, START_TIME, END_TIME, LIMIT],
    answer: fundingRate,
    isList: true,
  }),
  market("/v1/riskyAccounts", "Accounts near liquidation", {
    parameters: [],
    answer: riskyAccount,
    isList: true,
  }),
  market("/v1/contracts", "A summary of every market", { parameters: [], answer: contracts }),

  signed("POST", "/v1/account", "account", "Registers the account, signed by itself", {
    parameters: [],
    answer: account,
  }),
  signed("GET", "/v1/account", "account", "The account's registration", {
    parameters: [],
    answer: account,
  }),
  signed("GET", "/v1/balances", "account", "Balances and positions", {
    parameters: [],
    answer: balances,
  }),
  signed("GET", "/v1/positions", "account", "Positions", {
    parameters: [],
    answer: undatedPosition,
    isList: true,
  }),
  signed("GET", "/v1/userTrades", "account", "The account's trades in a market", {
    parameters: [MARKET, START_TIME, END_TIME, LIMIT, FROM_ID_ALONE],
    answer: userTrade,
    isList: true,
  }),
  signed("GET", "/v1/incomes", "account", "The account's cash flows", {
    parameters: [MARKET, INCOME_TYPE, START_TIME, END_TIME, LIMIT],
    answer: income,
    isList: true,
  }),

  signed("POST", "/v1/order/build", "orders", "Builds an order to be signed", {
    parameters: ORDER_TERMS,
    answer: builtOrder,
  }),
  signed("POST", "/v1/order", "orders", "Takes a signed order; answers with it as accepted", {
    parameters: SIGNED_ORDER,
    answer: order,
  }),
  signed("DELETE", "/v1/order", "orders", "Cancels an order", {
    parameters: [MARKET, ORDER_ID],
    answer: null,
  }),
  signed("DELETE", "/v1/allOpenOrders", "orders", "Cancels every open order", {
    parameters: [ANY_MARKET],
    answer: null,
  }),
  signed("GET", "/v1/openOrder", "orders", "One active order", {
    parameters: [ANY_MARKET, ANY_ORDER_ID],
    answer: order,
  }),
  signed("GET", "/v1/openOrders", "orders", "Active orders", {
    parameters: [ANY_MARKET],
    answer: order,
    isList: true,
  }),
  signed("GET", "/v1/order", "orders", "One order whose status is final", {
    parameters: [MARKET, ORDER_ID],
    answer: order,
  }),
  signed("GET", "/v1/historyOrders", "orders", "Orders whose status is final", {
    parameters: [MARKET, START_TIME, END_TIME, LIMIT],
    answer: order,
    isList: true,
  }),

  {
    method: "POST",
    path: "/faucet",
    group: "custody",
    summary: "Credits an account from nowhere",
    isSigned: false,
    parameters: [ACCOUNT, AMOUNT],
    answer: faucetShape,
    isList: false,
  },
  signed("POST", "/withdraw", "custody", "Takes credit out, signed by the account itself", {
    parameters: [AMOUNT],
    answer: withdrawalShape,
  }),
  signed(
    "POST",
    "/operator",
    "custody",
    "Says whether somebody may sign for the account, signed by the account itself",
    {
      parameters: [OPERATOR, IS_VALID],
      answer: operatorsShape,
    },
  ),
];
