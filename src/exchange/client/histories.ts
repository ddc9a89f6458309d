import type { MarketId, Ms } from "../../core/units.js";
import type { Income, UserTrade } from "../protocol/account.js";
import type { FundingRate, Kline, PublicTrade } from "../protocol/market-data.js";
import type { OperationResponses } from "../protocol/operations.js";
import type { Order } from "../protocol/order.js";
import type { IdInput, OperationParams } from "./operation-params.js";
import { readIdPages, readTimePages } from "./pages.js";

/** Requests one page of a list. */
export type RequestPage = <Name extends PagedName>(
  name: Name,
  params: OperationParams<Name>,
) => Promise<OperationResponses[Name]>;

type PagedName =
  | "historicalTrades"
  | "klines"
  | "markPriceKlines"
  | "fundingRate"
  | "historyOrders"
  | "userTrades"
  | "incomes";

/** A market's records from an id on. */
export interface IdRangeQuery {
  readonly marketId: MarketId;
  /** Default: the oldest that the exchange keeps. */
  readonly fromId?: IdInput;
  /** Records per page, 2 to 500; default 500. */
  readonly pageSize?: number;
}

/** A market's records of a time range. */
export interface TimeRangeQuery {
  readonly marketId: MarketId;
  /** Inclusive; default: the oldest that the exchange keeps. */
  readonly startTime?: Ms;
  /** Exclusive; default: the end of the list. */
  readonly endTime?: Ms;
  /** Records per page, 2 to 500; default 500. */
  readonly pageSize?: number;
}

type Interval = OperationParams<"klines">["interval"];
type IncomeType = OperationParams<"incomes">["type"];

/**
 * Whole histories as async iterators, oldest first, as many pages as there are: no record twice,
 * none left out at a boundary, records of one instant together. Each throws PagingError rather than
 * leave out what no page can tell apart.
 * @example
 * ```ts
 * import { connect } from "marketwright/exchange";
 *
 * const { client, close } = await connect({
 *   baseUrl: process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1",
 * });
 * let trades = 0;
 * for await (const trade of client.all.historicalTrades({ marketId: "btcusdc" })) {
 *   if (trade.amount.gt(0)) trades += 1;
 * }
 * close();
 * trades >= 0; // => true
 * ```
 */
export class Histories {
  readonly #ask: RequestPage;

  constructor(ask: RequestPage) {
    this.#ask = ask;
  }

  /** A market's trades, by `fromId`. */
  historicalTrades({
    marketId,
    fromId = "0",
    pageSize,
  }: IdRangeQuery): AsyncGenerator<PublicTrade, void> {
    return readIdPages({
      operation: "historicalTrades",
      page: (from, limit) => this.#ask("historicalTrades", { marketId, fromId: from, limit }),
      idOf: ({ id }) => id,
      fromId: String(fromId),
      pageSize,
    });
  }

  /** The account's trades in a market: by `fromId`, or within a time range if one is given. */
  userTrades(wanted: IdRangeQuery | TimeRangeQuery): AsyncGenerator<UserTrade, void> {
    const { marketId, pageSize } = wanted;
    if ("startTime" in wanted || "endTime" in wanted) {
      return readTimePages({
        ...range("userTrades", wanted),
        page: (startTime, endTime, limit) =>
          this.#ask("userTrades", { marketId, startTime, endTime, limit }),
        timeOf: ({ time }) => time,
        keyOf: ({ id, isBuyer }) => `${id} ${isBuyer}`,
      });
    }
    const { fromId = "0" } = wanted as IdRangeQuery;
    return readIdPages({
      operation: "userTrades",
      page: (from, limit) => this.#ask("userTrades", { marketId, fromId: from, limit }),
      idOf: ({ id }) => id,
      // An account that trades with itself has both sides of one trade.
      keyOf: ({ id, isBuyer }) => `${id} ${isBuyer}`,
      fromId: String(fromId),
      pageSize,
    });
  }

  /** A market's candles. */
  klines(wanted: TimeRangeQuery & { readonly interval: Interval }): AsyncGenerator<Kline, void> {
    return this.#klines("klines", wanted);
  }

  /** A market's candles of its mark price. */
  markPriceKlines(
    wanted: TimeRangeQuery & { readonly interval: Interval },
  ): AsyncGenerator<Kline, void> {
    return this.#klines("markPriceKlines", wanted);
  }

  /** A market's past funding rates. */
  fundingRate(wanted: TimeRangeQuery): AsyncGenerator<FundingRate, void> {
    const { marketId } = wanted;
    return readTimePages({
      ...range("fundingRate", wanted),
      page: (startTime, endTime, limit) =>
        this.#ask("fundingRate", { marketId, startTime, endTime, limit }),
      timeOf: ({ fundingTime }) => fundingTime,
      keyOf: ({ fundingTime }) => String(fundingTime),
    });
  }

  /** The account's orders of a market with a final status, by creation time. */
  historyOrders(wanted: TimeRangeQuery): AsyncGenerator<Order, void> {
    const { marketId } = wanted;
    return readTimePages({
      ...range("historyOrders", wanted),
      page: (startTime, endTime, limit) =>
        this.#ask("historyOrders", { marketId, startTime, endTime, limit }),
      timeOf: ({ createdAt }) => createdAt,
      keyOf: ({ id }) => id,
    });
  }

  /** Changes of the account's credit. */
  incomes(wanted: TimeRangeQuery & { readonly type?: IncomeType }): AsyncGenerator<Income, void> {
    const { marketId, type } = wanted;
    return readTimePages({
      ...range("incomes", wanted),
      page: (startTime, endTime, limit) =>
        this.#ask("incomes", { marketId, type, startTime, endTime, limit }),
      timeOf: ({ time }) => time,
      // An exchange may write several incomes of one event under one id.
      keyOf: (income) => `${income.id} ${income.type} ${income.amount} ${income.marketId}`,
    });
  }

  #klines(
    operation: "klines" | "markPriceKlines",
    wanted: TimeRangeQuery & { readonly interval: Interval },
  ): AsyncGenerator<Kline, void> {
    const { marketId, interval } = wanted;
    return readTimePages({
      ...range(operation, wanted),
      page: (startTime, endTime, limit) =>
        this.#ask(operation, { marketId, interval, startTime, endTime, limit }),
      timeOf: ({ time }) => time,
      keyOf: ({ time }) => String(time),
    });
  }
}

function range(
  operation: string,
  { startTime, endTime, pageSize }: Omit<TimeRangeQuery, "marketId">,
) {
  return { operation, startTime, endTime, pageSize };
}
