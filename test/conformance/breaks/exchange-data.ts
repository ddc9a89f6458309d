import { scaledToDecimal } from "#core/instrument.js";
import type { ExchangeAccount } from "#simulator/account.js";
import { balancesRecord, positionRecords, userTradeRecord } from "#simulator/account-records.js";
import { BoundedHistory } from "#simulator/bounded-history.js";
import { barStart } from "#simulator/candle-interval.js";
import { CandleSeries } from "#simulator/candles.js";
import { exchangeInfoRecord } from "#simulator/exchange-info.js";
import { ExchangeState } from "#simulator/exchange-state.js";
import { LocalCreditLedger } from "#simulator/local-credit-ledger.js";
import { computeMargin } from "#simulator/margin.js";
import type { Market } from "#simulator/market.js";
import { MarketClock } from "#simulator/market-clock.js";
import { levelRecords, publicTradeFields, tradeBarRecord } from "#simulator/market-records.js";
import { listLimit } from "#simulator/parameters.js";
import { PositionState } from "#simulator/position-state.js";
import { PublicEndpoints } from "#simulator/public-endpoints.js";
import { riskyAccountRecords } from "#simulator/risky-accounts.js";
import { Router } from "#simulator/router.js";
import { breaksOf, broken, hidden } from "../break.js";
import { unsaid } from "./kit.js";
import { type NamedEndpoints, signedFor } from "./routes.js";

/** The embedded exchange without one rule: market data, and the records of accounts. */
export const EXCHANGE_DATA_BREAKS = breaksOf("exchange", import.meta.url, [
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
    () => BoundedHistory.prototype.page,
    (page) => (asked, passes) =>
      page(asked.endMs === undefined ? asked : { ...asked, endMs: asked.endMs + 1 }, passes),
  ),
  broken(
    "P9",
    "high-risk accounts are signed for",
    hidden<(endpoints: unknown) => NamedEndpoints>(() => Router, "#publicEndpoints"),
    (named, router: Router) => (endpoints) => signedFor("riskyAccounts", router, named(endpoints)),
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
    hidden<(endpoints: unknown) => NamedEndpoints>(() => Router, "#publicEndpoints"),
    (named, router: Router) => (endpoints) => signedFor("klines", router, named(endpoints)),
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
    () => ExchangeState.prototype.registerAccount,
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
    () => LocalCreditLedger.prototype.recordIncomes,
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
      const { netValueCredit, initialMarginCredit } = computeMargin(account, markets);
      const availableMargin = scaledToDecimal(netValueCredit - initialMarginCredit, creditDecimals);
      return { ...record(account, markets, creditDecimals), availableMargin };
    },
  ),
]);

type PositionRecord = (
  account: ExchangeAccount,
  market: Market,
  state: Readonly<PositionState>,
  markets: ReadonlyMap<string, Market>,
) => ReturnType<typeof positionRecords>[number];
