import type { Hex, Ms } from "../../../core/units.js";
import type { ExchangeAccount, Income, Order, UserTrade } from "../../accounts/account.js";
import type { Market, Trade } from "../../markets/market.js";
import type { ApiResponse } from "../../rest/api-error.js";
import type { ApiRequest } from "../../rest/parameters.js";
import type { StreamConnection, StreamRefusal, StreamSink } from "../../streams/stream-sink.js";
import type { Dialect, DialectDeps } from "../dialect.js";
import { UsdmAccountEndpoints } from "./rest/usdm-account-endpoints.js";
import { UsdmIncomes } from "./rest/usdm-incomes.js";
import { UsdmMarketEndpoints } from "./rest/usdm-market-endpoints.js";
import { UsdmOrderEndpoints } from "./rest/usdm-order-endpoints.js";
import { UsdmOrderEntry } from "./rest/usdm-order-entry.js";
import { readForms, type UsdmParameters } from "./rest/usdm-parameters.js";
import { UsdmStreamHub } from "./streams/usdm-stream-hub.js";
import { UsdmUserStreamHub } from "./streams/usdm-user-streams.js";
import { UsdmApiKeys, type UsdmCredentials, type UsdmKey } from "./usdm-api-keys.js";
import type { UsdmConfig } from "./usdm-config.js";
import { UsdmCountdowns } from "./usdm-countdowns.js";
import { UsdmError } from "./usdm-error.js";
import { UsdmIds } from "./usdm-ids.js";
import { UsdmLeverages } from "./usdm-leverages.js";
import { USDM_OPERATIONS, type UsdmOperation, type UsdmOperationName } from "./usdm-operations.js";
import { accountKey, UsdmOrders } from "./usdm-orders.js";
import { UsdmRateLimits } from "./usdm-rate-limits.js";
import { UsdmSymbols } from "./usdm-symbols.js";

/** Answers an endpoint; the result becomes the JSON of the response. */
type Handler = (parameters: UsdmParameters) => unknown;
/** Answers an endpoint of an account. */
type KeyHandler = (key: UsdmKey, parameters: UsdmParameters) => unknown;

/** The names of the endpoints without an API key, and of those with one. */
type PublicName = {
  [Name in UsdmOperationName]: (typeof USDM_OPERATIONS)[Name]["security"] extends "NONE"
    ? Name
    : never;
}[UsdmOperationName];
type KeyName = Exclude<UsdmOperationName, PublicName>;

/** An endpoint with its handler. */
interface Route extends UsdmOperation {
  handle(key: UsdmKey | null, parameters: UsdmParameters): unknown;
}

/** The response without a body's content. */
const EMPTY = {};

/**
 * The exchange in the language of Binance's USD-M futures, over the same books, accounts and
 * settlement. docs/reference/binance-dialect.md says what is spoken and what differs.
 */
export class UsdmDialect implements Dialect {
  readonly #deps: DialectDeps;
  readonly #keys: UsdmApiKeys;
  readonly #limits: UsdmRateLimits;
  readonly #hub: UsdmStreamHub;
  readonly #users: UsdmUserStreamHub;
  readonly #orders: UsdmOrders;
  readonly #incomes: UsdmIncomes;
  readonly #countdowns: UsdmCountdowns;
  readonly #failedTradeStatus: string;
  /** Accounts whose position changed in this event. */
  readonly #traded = new Set<ExchangeAccount>();
  readonly #routes: ReadonlyMap<string, Route>;
  #isRunning = false;

  /** @throws ConfigError when the markets cannot have symbols */
  constructor(deps: DialectDeps, config: UsdmConfig, credentials: readonly UsdmCredentials[]) {
    const { state } = deps;
    const symbols = new UsdmSymbols(state);
    const ids = new UsdmIds(state.config.firstId);
    this.#deps = deps;
    this.#keys = new UsdmApiKeys(deps, config, credentials);
    this.#limits = new UsdmRateLimits(config.rateLimits);
    this.#failedTradeStatus = state.config.choices.failedTradeStatus;
    this.#orders = new UsdmOrders(state, ids);
    this.#incomes = new UsdmIncomes(state, symbols, ids, config);
    this.#countdowns = new UsdmCountdowns(deps);
    this.#users = new UsdmUserStreamHub(state, symbols, ids, this.#orders, config);
    this.#hub = new UsdmStreamHub(state, symbols, ids, config, this.#users);
    const leverages = new UsdmLeverages(state);
    const entry = new UsdmOrderEntry(deps, symbols, config, this.#orders, leverages);
    const open = marketHandlers(new UsdmMarketEndpoints(state, symbols, ids, config));
    const withKey: Readonly<Record<KeyName, KeyHandler>> = {
      ...orderHandlers(
        new UsdmOrderEndpoints(deps, symbols, this.#orders, entry, this.#countdowns),
      ),
      ...accountHandlers(new UsdmAccountEndpoints(state, symbols, ids, leverages, this.#incomes)),
      ...this.#listenKeyHandlers(),
      historicalTrades: (_key, parameters) => open.historicalTrades(parameters),
    };
    const handle = (name: UsdmOperationName): Route["handle"] => {
      const answer = withKey[name as KeyName];
      return answer === undefined
        ? (_key, parameters) => open[name as PublicName](parameters)
        : (key, parameters) => answer(key as UsdmKey, parameters);
    };
    this.#routes = new Map(
      Object.entries<UsdmOperation>(USDM_OPERATIONS).map(([name, operation]) => [
        `${operation.method} ${operation.path}`,
        { ...operation, handle: handle(name as UsdmOperationName) },
      ]),
    );
  }

  #listenKeyHandlers() {
    return {
      createListenKey: ({ account }) => this.#users.create(account),
      keepListenKey: ({ account }) => this.#users.keepAlive(account),
      closeListenKey: ({ account }) => {
        this.#users.close(account);
        return EMPTY;
      },
    } satisfies Partial<Record<KeyName, KeyHandler>>;
  }

  /** Answers a REST request. Internal errors are thrown on. */
  handle(request: ApiRequest): ApiResponse {
    try {
      if (!this.#isRunning) throw new UsdmError("-1016");
      return this.#deps.turn(() => this.#answer(request));
    } catch (error) {
      if (error instanceof UsdmError) return error.toResponse();
      throw error;
    }
  }

  #answer(request: ApiRequest): ApiResponse {
    const { method, path, ip } = request;
    const route = this.#routes.get(`${method} ${path}`);
    if (route === undefined) {
      throw new UsdmError("-5000", `Path ${path.slice(0, 200)}, Method ${method} is invalid`);
    }
    const parameters = readForms(request.query, request.body);
    const weight = typeof route.weight === "number" ? route.weight : route.weight(parameters);
    const used = this.#limits.admit(ip, weight, this.#deps.state.nowMs());
    const headers: Record<string, string> = { "x-mbx-used-weight-1m": String(used) };
    const key = this.#authenticate(route, request, parameters);
    if (key !== null && route.orders !== undefined) {
      if (!this.#keys.isReady(key)) throw new UsdmError("-1001");
      const count = route.orders(parameters);
      const nowMs = this.#deps.state.nowMs();
      Object.assign(headers, this.#limits.admitOrders(accountKey(key.account), count, nowMs));
    }
    return { status: 200, body: JSON.stringify(route.handle(key, parameters)), headers };
  }

  #authenticate(
    { security }: Route,
    request: ApiRequest,
    parameters: UsdmParameters,
  ): UsdmKey | null {
    if (security === "NONE") return null;
    return security === "KEY"
      ? this.#keys.require(request)
      : this.#keys.requireSigned(request, parameters);
  }

  /** Opens a stream, or returns the HTTP response that refuses it. */
  connect(pathWithQuery: string, sink: StreamSink, ip = ""): StreamConnection | StreamRefusal {
    try {
      if (!this.#isRunning) throw new UsdmError("-1016");
      this.#limits.requireNotBanned(ip, this.#deps.state.nowMs());
    } catch (error) {
      if (error instanceof UsdmError) return { refused: error.toResponse() };
      throw error;
    }
    return this.#hub.connect(pathWithQuery, this.#deps.deferSends(sink), ip);
  }

  /** The exchange's time. */
  nowMs(): Ms {
    return this.#deps.state.nowMs();
  }

  /** The address of the account whose API key a request has. */
  accountOfRequest(request: Pick<ApiRequest, "headers">): Hex | undefined {
    return this.#keys.addressOf(request);
  }

  /** The address of the account of a listen key; undefined for the name of a public stream. */
  accountOfStream(name: string): Hex | undefined {
    return this.#users.addressOf(name);
  }

  start(): void {
    this.#isRunning = true;
    this.#keys.open();
    for (const account of this.#keys.accounts) {
      this.#orders.restore(account);
      this.#users.restore(account);
    }
  }

  stop(): void {
    this.#isRunning = false;
    this.#hub.stop();
    this.#users.stop();
    this.#countdowns.stop();
  }

  onOrder(order: Order): void {
    if (order.terms.account.isHouse || !this.#keys.isUsedBy(order.terms.account)) return;
    this.#orders.onOrder(order);
    this.#users.onOrder(order);
  }

  onUserTrade(record: UserTrade): void {
    if (!this.#keys.isUsedBy(record.account)) return;
    if (record.trade.status === this.#failedTradeStatus) this.#incomes.onFailed(record);
    this.#traded.add(record.account);
    this.#users.onUserTrade(record);
  }

  onAccount(_account: ExchangeAccount): void {}

  onIncomes(account: ExchangeAccount, incomes: readonly Income[]): void {
    this.#users.onIncomes(account, incomes);
  }

  onOperatorRevoked(): void {}

  onTrade(trade: Trade): void {
    this.#hub.onTrade(trade);
  }

  onBook(market: Market): void {
    this.#hub.onBook(market);
  }

  flush(): void {
    for (const account of this.#traded) {
      for (const order of this.#orders.excess(account)) this.#deps.orderManager.cancel(order);
    }
    this.#traded.clear();
    this.#users.flush();
    this.#hub.flush();
  }

  onSample(): void {
    this.#keys.approveOperators();
    this.#hub.onSample();
  }
}

function marketHandlers(market: UsdmMarketEndpoints) {
  return {
    ping: () => EMPTY,
    time: () => market.time(),
    exchangeInfo: () => market.exchangeInfo(),
    depth: (parameters) => market.depth(parameters),
    trades: (parameters) => market.trades(parameters),
    historicalTrades: (parameters) => market.historicalTrades(parameters),
    aggTrades: (parameters) => market.aggregateTrades(parameters),
    klines: (parameters) => market.klines(parameters),
    markPriceKlines: (parameters) => market.markPriceKlines(parameters),
    premiumIndex: (parameters) => market.premiumIndex(parameters),
    fundingRate: (parameters) => market.fundingRate(parameters),
    fundingInfo: () => market.fundingInfo(),
    dayTicker: (parameters) => market.dayTicker(parameters),
    priceTicker: (parameters) => market.priceTicker(parameters),
    priceTickerV2: (parameters) => market.priceTicker(parameters),
    bookTicker: (parameters) => market.bookTicker(parameters),
    openInterest: (parameters) => market.openInterest(parameters),
  } satisfies Record<PublicName | "historicalTrades", Handler>;
}

function orderHandlers(orders: UsdmOrderEndpoints) {
  return {
    placeOrder: (key, parameters) => orders.place(key, parameters),
    placeBatch: (key, parameters) => orders.placeBatch(key, parameters),
    cancelOrder: (key, parameters) => orders.cancel(key, parameters),
    cancelBatch: (key, parameters) => orders.cancelBatch(key, parameters),
    cancelAll: (key, parameters) => orders.cancelAll(key, parameters),
    countdownCancelAll: (key, parameters) => orders.countdownCancelAll(key, parameters),
    order: (key, parameters) => orders.order(key, parameters),
    openOrder: (key, parameters) => orders.openOrder(key, parameters),
    openOrders: (key, parameters) => orders.openOrders(key, parameters),
    allOrders: (key, parameters) => orders.allOrders(key, parameters),
  } satisfies Partial<Record<KeyName, KeyHandler>>;
}

function accountHandlers(account: UsdmAccountEndpoints) {
  return {
    userTrades: (key, parameters) => account.userTrades(key, parameters),
    income: (key, parameters) => account.income(key, parameters),
    balanceV2: (key) => account.balance(key),
    balanceV3: (key) => account.balance(key),
    accountV2: (key) => account.accountV2(key),
    accountV3: (key) => account.accountV3(key),
    positionRiskV2: (key, parameters) => account.positionRiskV2(key, parameters),
    positionRiskV3: (key, parameters) => account.positionRiskV3(key, parameters),
    commissionRate: (key, parameters) => account.commissionRate(key, parameters),
    leverageBracket: (key, parameters) => account.leverageBracket(key, parameters),
    symbolConfig: (key, parameters) => account.symbolConfig(key, parameters),
    accountConfig: () => account.accountConfig(),
    setLeverage: (key, parameters) => account.setLeverage(key, parameters),
    setMarginType: (key, parameters) => account.setMarginType(key, parameters),
    setPositionMode: (key, parameters) => account.setPositionMode(key, parameters),
    positionMode: () => account.positionMode(),
    setMultiAssets: (key, parameters) => account.setMultiAssets(key, parameters),
    multiAssets: () => account.multiAssets(),
  } satisfies Partial<Record<KeyName, KeyHandler>>;
}
