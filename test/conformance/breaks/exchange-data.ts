import { scaledToDecimal } from "../../../src/core/instrument.js";
import type { Account } from "../../../src/simulator/accounts/account.js";
import { CreditMoves } from "../../../src/simulator/accounts/credit-moves.js";
import { Journal } from "../../../src/simulator/accounts/journal.js";
import { riskOf } from "../../../src/simulator/accounts/margin.js";
import { PositionState } from "../../../src/simulator/accounts/position-state.js";
import { MarketClock } from "../../../src/simulator/engine/market-clock.js";
import { ExchangeState } from "../../../src/simulator/engine/state.js";
import { barStart } from "../../../src/simulator/markets/candle-interval.js";
import { CandleSeries } from "../../../src/simulator/markets/candles.js";
import type { Market } from "../../../src/simulator/markets/market.js";
import type { MarketRulesOnGrid } from "../../../src/simulator/markets/market-rules.js";
import { JSON_TYPE } from "../../../src/simulator/rest/api-error.js";
import { AccountEndpoints } from "../../../src/simulator/rest/endpoints/account-endpoints.js";
import { exchangeInfoRecord } from "../../../src/simulator/rest/endpoints/exchange-info.js";
import { OrderEntry } from "../../../src/simulator/rest/endpoints/order-entry.js";
import { requestedOrder } from "../../../src/simulator/rest/endpoints/order-terms.js";
import { PublicEndpoints } from "../../../src/simulator/rest/endpoints/public-endpoints.js";
import { riskyAccountRecords } from "../../../src/simulator/rest/endpoints/risky-accounts.js";
import { listLimit, readParameters } from "../../../src/simulator/rest/parameters.js";
import {
  balancesRecord,
  positionRecords,
  userTradeRecord,
} from "../../../src/simulator/rest/records/account-records.js";
import {
  levelRecords,
  publicTradeFields,
  tradeBarRecord,
} from "../../../src/simulator/rest/records/market-records.js";
import { writeRecord } from "../../../src/simulator/rest/records/write-json.js";
import { Router } from "../../../src/simulator/rest/router.js";
import { breaksOf, broken, hidden } from "../break.js";
import { unsaid, without } from "./kit.js";
import { type NamedRoute, signedFor } from "./routes.js";

/** The embedded exchange without one rule: formats, rules of trading, market data. */
export const EXCHANGE_DATA_BREAKS = breaksOf("exchange", import.meta.url, [
  broken<string>(
    "G9",
    "answers are called plain text",
    () => JSON_TYPE,
    () => "text/plain",
  ),
  broken(
    "G1",
    "GET openOrders stands under /v2",
    hidden<(...parts: unknown[]) => readonly NamedRoute[]>(() => Router, "#orderRoutes"),
    (routes) =>
      (...parts) =>
        routes(...parts).map(([name, route]) => [
          name.replace("/v1/openOrders", "/v2/openOrders"),
          route,
        ]),
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
    () => Journal.prototype.page,
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
  broken(
    "B1",
    "asks are listed worst first",
    () => levelRecords,
    (levels) => (market, side, limit) => {
      const listed = levels(market, side, limit);
      return side === "SELL" ? listed.reverse() : listed;
    },
  ),
  broken(
    "T1",
    "isBuyerMaker says who took",
    () => publicTradeFields,
    (fields) => (trade, status) => ({
      ...fields(trade, status),
      isBuyerMaker: !trade.isBuyerMaker,
    }),
  ),
  broken(
    "K1",
    "a candle's high is its last price",
    () => tradeBarRecord,
    (record) =>
      (...bar) => {
        const { close, ...rest } = record(...bar);
        return { ...rest, close, high: close };
      },
  ),
  broken(
    "K2",
    "candles go by the instant of settlement",
    () => CandleSeries.prototype.record,
    (record) => (price, lots, quote, timeMs) =>
      record(price, lots, quote, lots === 0 ? timeMs : timeMs + 120_000),
  ),
  broken(
    "F1",
    "a funding record does not name its instant",
    () => PublicEndpoints.prototype.fundingRate,
    (fundingRate) => (parameters) => fundingRate(parameters).replaceAll("fundingTime", "fundingAt"),
  ),
  broken(
    "F2",
    "funding is paid at half the interval",
    hidden<(nowMs: number, intervalMs: number) => number>(() => MarketClock, "firstFundingMs"),
    (first) => (nowMs, intervalMs) => first(nowMs, intervalMs / 2),
  ),
  broken(
    "C1",
    "the timestamps of a contract are numbers",
    () => PublicEndpoints.prototype.contracts,
    (contracts) => () => contracts().replaceAll(/("end_timestamp":)"(\d+)"/g, "$1$2"),
  ),
  broken(
    "P1",
    "the time stands still once it was asked",
    () => PublicEndpoints.prototype.time,
    (time, endpoints: PublicEndpoints & { first?: string }) => () => {
      endpoints.first ??= time();
      return endpoints.first;
    },
  ),
  broken(
    "P2",
    "exchangeInfo tells the time of the epoch",
    () => exchangeInfoRecord,
    (record) => (state) => ({ ...record(state), serverTime: 0 }),
  ),
  broken(
    "P3",
    "a book takes any limit",
    hidden<readonly number[]>(() => PublicEndpoints, "BOOK_LIMITS"),
    () => Array.from({ length: 1001 }, (_, limit) => limit),
  ),
  broken(
    "P4",
    "trades are given without a limit",
    hidden<(market: Market, limit: number, fromId: string | undefined) => string>(
      () => PublicEndpoints,
      "#tradePage",
    ),
    (page) => (market, _limit, fromId) => page(market, 20_000, fromId),
  ),
  broken(
    "P5",
    "fromId is not looked at",
    () => PublicEndpoints.prototype.historicalTrades,
    (trades) => (parameters) => trades(unsaid(parameters, "fromId")),
  ),
  broken(
    "P6",
    "a week starts on Thursday",
    hidden<number>(() => barStart, "FIRST_MONDAY_MS"),
    () => 0,
  ),
  broken(
    "P7",
    "mark candles are those of the trades",
    () => PublicEndpoints.prototype.markPriceKlines,
    (_markPriceKlines, endpoints: PublicEndpoints) => (parameters) => endpoints.klines(parameters),
  ),
  broken(
    "P8",
    "endTime is inclusive",
    () => Journal.prototype.page,
    (page) => (asked, passes) =>
      page(asked.endMs === undefined ? asked : { ...asked, endMs: asked.endMs + 1 }, passes),
  ),
  broken(
    "P9",
    "high-risk accounts are signed for",
    hidden<(endpoints: unknown) => readonly NamedRoute[]>(() => Router, "#publicRoutes"),
    (routes, router: Router) => (endpoints) =>
      signedFor("GET /v1/riskyAccounts", router, routes(endpoints)),
  ),
  broken(
    "P10",
    "contracts are a bare list",
    () => PublicEndpoints.prototype.contracts,
    (contracts) => () => JSON.stringify(JSON.parse(contracts()).contracts),
  ),
  broken(
    "P11",
    "klines are signed for",
    hidden<(endpoints: unknown) => readonly NamedRoute[]>(() => Router, "#publicRoutes"),
    (routes, router: Router) => (endpoints) =>
      signedFor("GET /v1/klines", router, routes(endpoints)),
  ),
  broken(
    "L2",
    "a list takes a limit of 501",
    () => listLimit,
    (limit) => (parameters) => (parameters.get("limit") === "501" ? 501 : limit(parameters)),
  ),
  broken(
    "PO1",
    "a closed position has no side of its own",
    hidden<PositionRecord>(() => positionRecords, "positionRecord"),
    (record) => (account, market, state, markets) => ({
      ...record(account, market, state, markets),
      side: state.paper > 0n ? "LONG" : "SHORT",
    }),
  ),
  broken(
    "PO2",
    "closedAt is set while the position is open",
    hidden<PositionRecord>(() => positionRecords, "positionRecord"),
    (record) => (account, market, state, markets) => ({
      ...record(account, market, state, markets),
      closedAt: state.closedAtMs ?? state.openedAtMs,
    }),
  ),
  broken(
    "PO3",
    "lastUpdatedAt stands in positions too",
    () => positionRecords,
    (records) => (account, markets, shown) =>
      records(account, markets, { ...shown, updatedAt: true }),
  ),
  broken(
    "PO4",
    "reducing a position changes no cost",
    hidden<(size: bigint, quote: bigint, timeMs: number) => bigint>(() => PositionState, "#close"),
    (close, position: PositionState) => (size, quote, timeMs) => {
      const { openQuote } = position;
      const pnl = close(size, quote, timeMs);
      position.openQuote = openQuote;
      return pnl;
    },
  ),
  broken(
    "RA1",
    "accounts are listed from 100 % of risk",
    () => riskyAccountRecords,
    (records) => (state) => records(state).filter(({ risk }) => Number(risk) > 1),
  ),
  broken(
    "AC1",
    "an account is answered in lower case",
    () => ExchangeState.prototype.admit,
    (admit) => (address) => admit(address.toLowerCase()),
  ),
  broken(
    "UT1",
    "commissions are without their sign",
    () => userTradeRecord,
    (record) => (trade) => {
      const { commission, ...rest } = record(trade);
      return { ...rest, commission: commission.replace("-", "") };
    },
  ),
  broken(
    "IN1",
    "fees leave no income",
    () => CreditMoves.prototype.income,
    (income) => (account, marketId, amounts) =>
      income(
        account,
        marketId,
        amounts.filter(([type]) => type !== "MAKER_FEE" && type !== "TAKER_FEE"),
      ),
  ),
  broken(
    "BA1",
    "what is frozen counts as available",
    () => balancesRecord,
    (record) => (account, markets, creditDecimals) => {
      const { netValue, positionMargin } = riskOf(account, markets);
      const availableMargin = scaledToDecimal(netValue - positionMargin, creditDecimals);
      return { ...record(account, markets, creditDecimals), availableMargin };
    },
  ),
]);

/** What of a market the terms of an order are checked by. */
interface OnGrid {
  readonly rules: MarketRulesOnGrid;
}

type PositionRecord = (
  account: Account,
  market: Market,
  state: Readonly<PositionState>,
  markets: ReadonlyMap<string, Market>,
) => ReturnType<typeof positionRecords>[number];
