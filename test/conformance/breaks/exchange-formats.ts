import { AccountEndpoints } from "#simulator/account-endpoints.js";
import { JSON_TYPE } from "#simulator/api-error.js";
import { BoundedHistory } from "#simulator/bounded-history.js";
import { exchangeInfoRecord } from "#simulator/exchange-info.js";
import { publicTradeFields } from "#simulator/market-records.js";
import type { MarketRulesOnGrid } from "#simulator/market-rules.js";
import { offeredOperations } from "#simulator/offered-operations.js";
import { OrderEntry } from "#simulator/order-entry.js";
import { requestedOrder } from "#simulator/order-terms.js";
import { readParameters } from "#simulator/parameters.js";
import { writeRecord } from "#simulator/write-json.js";
import { breaksOf, broken, hidden } from "../break.js";
import { without } from "./kit.js";
import { readdressed } from "./operations.js";

/** The embedded exchange without one rule: formats, and the rules of trading. */
export const EXCHANGE_FORMAT_BREAKS = breaksOf("exchange", import.meta.url, [
  broken<string>(
    "G9",
    "answers are called plain text",
    () => JSON_TYPE,
    () => "text/plain",
  ),
  broken(
    "G1",
    "GET openOrders stands under /v2",
    () => offeredOperations,
    (offered) => (config) =>
      offered(config).map((one) => readdressed(one, "/v1/openOrders", "/v2/openOrders")),
  ),
  broken(
    "G2",
    "a trade's price is a JSON number",
    () => publicTradeFields,
    (fields) => (trade, status) => {
      const { price, ...rest } = fields(trade, status);
      return { ...rest, price: Number(price) as never };
    },
  ),
  broken(
    "G3",
    "an account is created at a second",
    () => AccountEndpoints.prototype.read,
    (read) => (account) =>
      read(account).replace(/(?<="createdAt":)\d+/, (ms) => String(Math.floor(Number(ms) / 1000))),
  ),
  broken(
    "G4",
    "identifiers are written as floats",
    () => writeRecord,
    (write) => (record) => write(record).replace(/(?<=^{"id":)\d+/, (id) => String(Number(id))),
  ),
  broken(
    "G5",
    "parameters in the query are not read",
    () => readParameters,
    (read) => (request) => read({ ...request, query: "" }),
  ),
  broken(
    "G6",
    "the query wins over the body",
    () => readParameters,
    (read) => (request) => new Map([...read(request), ...read({ ...request, body: "" })]),
  ),
  broken(
    "G7",
    "pages without a start come newest first",
    () => BoundedHistory.prototype.page,
    (page) => (asked, passes) => {
      const found = page(asked, passes);
      return asked.startMs === undefined && asked.fromId === undefined ? found.reverse() : found;
    },
  ),
  broken(
    "I1",
    "exchangeInfo has no timezone",
    () => exchangeInfoRecord,
    (record) => (state) => without(record(state), "timezone"),
  ),
  broken(
    "I9",
    "the traded volume stands still",
    () => exchangeInfoRecord,
    (record) => (state) => {
      const info = record(state);
      return { ...info, dealerInfo: { ...info.dealerInfo, totalVolume: "0" } };
    },
  ),
  broken(
    "I2",
    "OrderType is spelled without its capital letter",
    () => exchangeInfoRecord,
    (record) => (state) => {
      const info = record(state);
      const markets = info.markets.map((market) => ({
        ...without(market, "OrderType"),
        orderType: market.OrderType,
      }));
      return { ...info, markets };
    },
  ),
  broken(
    "I3",
    "a price may be above the bound",
    hidden<(market: OnGrid, price: string) => number>(() => requestedOrder, "priceTicks"),
    (read) => (market, price) =>
      read({ ...market, rules: { ...market.rules, maxTicks: 2 * market.rules.maxTicks } }, price),
  ),
  broken(
    "I4",
    "an amount may be below the bound",
    hidden<(market: OnGrid, amount: string, type: string) => number>(
      () => requestedOrder,
      "amountLots",
    ),
    (read) => (market, amount, type) =>
      read({ ...market, rules: { ...market.rules, minLots: 1 } }, amount, type),
  ),
  broken(
    "I5",
    "MARKET orders have the bounds of LIMIT orders",
    hidden<(market: OnGrid, amount: string, type: string) => number>(
      () => requestedOrder,
      "amountLots",
    ),
    (read) => (market, amount) => read(market, amount, "LIMIT"),
  ),
  broken(
    "I6",
    "any number of orders may rest",
    hidden<() => number>(() => OrderEntry, "#countedOrders"),
    () => () => 0,
  ),
  broken(
    "I7",
    "the ORDER limit is not listed",
    () => exchangeInfoRecord,
    (record) => (state) => {
      const info = record(state);
      return { ...info, rateLimits: info.rateLimits.filter(({ name }) => name !== "ORDER") };
    },
  ),
]);

/** The rules of a market by which the terms of an order are checked. */
interface OnGrid {
  readonly rules: MarketRulesOnGrid;
}
