import type { SignatureScheme } from "../../core/signing.js";
import type { Account } from "../accounts/account.js";
import type { Clearing } from "../accounts/clearing.js";
import type { OrderDesk } from "../matching/order-desk.js";
import type { ExchangeState } from "../state.js";
import { AccountEndpoints } from "./account-endpoints.js";
import { type ApiAnswer, ApiError, errorAnswer, errorBody } from "./api-error.js";
import { Authentication, addressOf } from "./authentication.js";
import { exchangeInfoRecord } from "./exchange-info.js";
import { OrderEndpoints } from "./order-endpoints.js";
import { OrderEntry } from "./order-entry.js";
import { type ApiRequest, readParameters } from "./parameters.js";
import { PublicEndpoints } from "./public-endpoints.js";
import { type RateBucket, RateLimiter, type RateRefusal } from "./rate-limiter.js";

type Parameters = ReadonlyMap<string, string>;

/** An endpoint: what it counts against, and what it does. A void answer is 204. */
interface Route {
  readonly bucket: RateBucket | null;
  answer(parameters: Parameters): string | undefined;
}

/** The HTTP interface: finds the endpoint, counts the request, checks who asks, and answers. */
export class Router {
  readonly authentication: Authentication;
  readonly accounts: AccountEndpoints;
  readonly #state: ExchangeState;
  readonly #limiter: RateLimiter;
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #paths: ReadonlySet<string>;

  constructor(state: ExchangeState, desk: OrderDesk, clearing: Clearing, scheme: SignatureScheme) {
    this.#state = state;
    this.authentication = new Authentication(state, scheme);
    this.accounts = new AccountEndpoints(state, clearing);
    this.#limiter = new RateLimiter(state.config.rateLimits);
    this.#routes = new Map([
      ...this.#publicRoutes(new PublicEndpoints(state)),
      ...this.#accountRoutes(),
      ...this.#orderRoutes(new OrderEntry(state, desk, this.authentication), new OrderEndpoints(state, desk)),
    ]);
    this.#paths = new Set([...this.#routes.keys()].map((key) => key.slice(key.indexOf(" ") + 1)));
  }

  /** Answers one request. Errors that are not the exchange's own pass through. */
  handle(request: ApiRequest): ApiAnswer {
    const route = this.#routes.get(`${request.method} ${request.path}`);
    if (route === undefined) {
      const known = this.#paths.has(request.path);
      const status = known ? 405 : 404;
      return { status, body: errorBody(1111, "Bad params", known ? "this method is not offered here" : "there is no such endpoint") };
    }
    try {
      const parameters = readParameters(request);
      const refusal = this.#refusal(route, request.ip, parameters);
      if (refusal !== null) {
        return refusal;
      }
      const body = route.answer(parameters);
      return body === undefined ? { status: 204, body: "" } : { status: 200, body };
    } catch (error) {
      if (error instanceof ApiError) {
        return errorAnswer(error, this.#state.config.choices);
      }
      throw error;
    }
  }

  #refusal(route: Route, ip: string, parameters: Parameters): ApiAnswer | null {
    if (route.bucket === null) {
      return null;
    }
    const { key } = this.#state.config.rateLimits;
    const account = parameters.get("account")?.toLowerCase();
    const keys = [...(key === "account" && account !== undefined ? [] : [`ip ${ip}`])];
    if (key !== "ip" && account !== undefined) {
      keys.push(`account ${account}`);
    }
    return throttled(this.#limiter.admit(keys, route.bucket, this.#state.nowMs()));
  }

  /** The answer to a stream that an address opens while it is banned; null when it may. */
  refusalOfStream(ip: string): ApiAnswer | null {
    return throttled(this.#limiter.ban(`ip ${ip}`, this.#state.nowMs()));
  }

  #publicRoutes(endpoints: PublicEndpoints): [string, Route][] {
    const common = (answer: Route["answer"]): Route => ({ bucket: "COMMON", answer });
    return [
      ["GET /v1/time", common(() => endpoints.time())],
      ["GET /v1/exchangeInfo", common(() => JSON.stringify(exchangeInfoRecord(this.#state)))],
      ["GET /v1/orderbook", common((parameters) => endpoints.orderbook(parameters))],
      ["GET /v1/trades", common((parameters) => endpoints.trades(parameters))],
      ["GET /v1/historicalTrades", common((parameters) => endpoints.historicalTrades(parameters))],
      ["GET /v1/klines", common((parameters) => endpoints.klines(parameters))],
      ["GET /v1/markPriceKlines", common((parameters) => endpoints.markPriceKlines(parameters))],
      ["GET /v1/fundingRate", common((parameters) => endpoints.fundingRate(parameters))],
      ["GET /v1/contracts", common(() => endpoints.contracts())],
      ["GET /v1/riskyAccounts", common(() => endpoints.riskyAccounts())],
    ];
  }

  #accountRoutes(): [string, Route][] {
    const { accounts } = this;
    const { choices, faucet } = this.#state.config;
    const addressed = (parameters: Parameters) =>
      choices.accountEndpointsSigned ? this.authentication.signerOf(parameters) : addressOf(parameters);
    const routes: [string, Route][] = [
      ["POST /v1/account", { bucket: "COMMON", answer: (parameters) => accounts.register(addressed(parameters)) }],
      ["GET /v1/account", { bucket: "COMMON", answer: (parameters) => accounts.read(addressed(parameters)) }],
      ["GET /v1/userTrades", this.#private("COMMON", (account, parameters) => accounts.userTrades(account, parameters))],
      ["GET /v1/incomes", this.#private("COMMON", (account, parameters) => accounts.incomes(account, parameters))],
      ["GET /v1/balances", this.#private("COMMON", (account) => accounts.balances(account))],
      ["GET /v1/positions", this.#private("COMMON", (account) => accounts.positions(account))],
    ];
    if (faucet.enabled) {
      routes.push(["POST /faucet", { bucket: null, answer: (parameters) => accounts.faucet(parameters) }]);
    }
    return routes;
  }

  #orderRoutes(entry: OrderEntry, orders: OrderEndpoints): [string, Route][] {
    return [
      ["POST /v1/order/build", this.#private("ORDER", (account, parameters) => entry.build(account, parameters))],
      ["POST /v1/order", this.#private("ORDER", (account, parameters) => entry.place(account, parameters))],
      ["DELETE /v1/order", this.#private("ORDER", (account, parameters) => void orders.cancel(account, parameters))],
      ["DELETE /v1/allOpenOrders", this.#private("ORDER", (account, parameters) => void orders.cancelAll(account, parameters))],
      ["GET /v1/order", this.#private("COMMON", (account, parameters) => orders.historyOrder(account, parameters))],
      ["GET /v1/historyOrders", this.#private("COMMON", (account, parameters) => orders.historyOrders(account, parameters))],
      ["GET /v1/openOrder", this.#private("COMMON", (account, parameters) => orders.openOrder(account, parameters))],
      ["GET /v1/openOrders", this.#private("COMMON", (account, parameters) => orders.openOrders(account, parameters))],
    ];
  }

  #private(bucket: RateBucket, answer: (account: Account, parameters: Parameters) => string | undefined): Route {
    return { bucket, answer: (parameters) => answer(this.authentication.accountOf(parameters), parameters) };
  }
}

function throttled(refusal: RateRefusal | null): ApiAnswer | null {
  return refusal === null
    ? null
    : {
        status: refusal.status,
        body: errorBody(refusal.status, "Too many requests", "over the rate limit"),
        headers: { "retry-after": String(refusal.retryAfterSeconds) },
      };
}
