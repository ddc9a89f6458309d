import type { ExchangeAccount, Income, Order, UserTrade } from "../../accounts/account.js";
import type { Market, Trade } from "../../markets/market.js";
import type { ApiResponse } from "../../rest/api-error.js";
import type { ApiRequest } from "../../rest/parameters.js";
import type { StreamConnection, StreamRefusal, StreamSink } from "../../streams/stream-sink.js";
import type { Dialect, DialectDeps } from "../dialect.js";
import { UsdmMarketEndpoints } from "./rest/usdm-market-endpoints.js";
import { readForms, type UsdmParameters } from "./rest/usdm-parameters.js";
import { UsdmStreamHub } from "./streams/usdm-stream-hub.js";
import { UsdmApiKeys, type UsdmCredentials, type UsdmKey } from "./usdm-api-keys.js";
import type { UsdmConfig } from "./usdm-config.js";
import { UsdmError } from "./usdm-error.js";
import { UsdmIds } from "./usdm-ids.js";
import { USDM_OPERATIONS, type UsdmOperation, type UsdmOperationName } from "./usdm-operations.js";
import { UsdmRateLimits } from "./usdm-rate-limits.js";
import { UsdmSymbols } from "./usdm-symbols.js";

/** Answers an endpoint; the result becomes the JSON of the response. */
type Handler = (parameters: UsdmParameters) => unknown;

/** An endpoint with its handler. */
interface Route extends UsdmOperation {
  readonly handle: Handler;
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
    this.#hub = new UsdmStreamHub(state, symbols, ids, config, {
      subscribe: () => false,
      unsubscribe: () => {},
    });
    const handlers: Readonly<Record<UsdmOperationName, Handler>> = {
      ...marketHandlers(new UsdmMarketEndpoints(state, symbols, ids, config)),
    };
    this.#routes = new Map(
      Object.entries<UsdmOperation>(USDM_OPERATIONS).map(([name, operation]) => [
        `${operation.method} ${operation.path}`,
        { ...operation, handle: handlers[name as UsdmOperationName] },
      ]),
    );
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
    this.#authenticate(route, request, parameters);
    return { status: 200, body: JSON.stringify(route.handle(parameters)), headers };
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

  start(): void {
    this.#isRunning = true;
    this.#keys.open();
  }

  stop(): void {
    this.#isRunning = false;
    this.#hub.stop();
  }

  onOrder(_order: Order): void {}

  onUserTrade(_trade: UserTrade): void {}

  onAccount(_account: ExchangeAccount): void {}

  onIncomes(_account: ExchangeAccount, _incomes: readonly Income[]): void {}

  onOperatorRevoked(): void {}

  onTrade(trade: Trade): void {
    this.#hub.onTrade(trade);
  }

  onBook(market: Market): void {
    this.#hub.onBook(market);
  }

  flush(): void {
    this.#hub.flush();
  }

  onSample(): void {
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
  } satisfies Partial<Record<UsdmOperationName, Handler>>;
}
