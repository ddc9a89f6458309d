import type { SignatureScheme } from "../../core/crypto/signing.js";
import type { Ms } from "../../core/units.js";
import type { Account } from "../accounts/account.js";
import type { Clearing } from "../accounts/clearing.js";
import type { Credit } from "../accounts/credit.js";
import type { Withdrawals } from "../accounts/withdrawals.js";
import type { ExchangeState } from "../engine/state.js";
import type { OrderDesk } from "../matching/order-desk.js";
import { type ApiAnswer, ApiError, errorAnswer, errorBody, JSON_TYPE } from "./api-error.js";
import { Authentication, addressOf } from "./authentication.js";
import { AccountEndpoints } from "./endpoints/account-endpoints.js";
import { CustodyEndpoints } from "./endpoints/custody-endpoints.js";
import { exchangeInfoRecord } from "./endpoints/exchange-info.js";
import { OrderEndpoints } from "./endpoints/order-endpoints.js";
import { OrderEntry } from "./endpoints/order-entry.js";
import { PublicEndpoints } from "./endpoints/public-endpoints.js";
import { type ApiRequest, readParameters } from "./parameters.js";
import { type RateBucket, RateLimiter, type RateRefusal } from "./rate-limiter.js";

/** What the router answers with. */
export interface RouterParts {
  readonly desk: OrderDesk;
  readonly clearing: Clearing;
  readonly withdrawals: Withdrawals;
  readonly scheme: SignatureScheme;
}

type Parameters = ReadonlyMap<string, string>;

/** An endpoint: what it counts against, and what it does. A void answer is 204. */
interface Route {
  readonly bucket: RateBucket | null;
  /** Whether it credits the account that is named, for the first time or again. */
  readonly isCrediting?: boolean;
  /** What it answers once the credit counts, where that is something else than before. */
  answerCredited?(account: Account, parameters: Parameters): string;
  answer(parameters: Parameters): string | undefined;
}

/** From when on an account waits for its credit, and what it is answered then. */
interface AnswerToCredited {
  sinceMs(account: Account): Ms;
  credited(account: Account): string;
}

/** The HTTP interface: finds the endpoint, counts the request, checks who asks, and answers. */
export class Router {
  readonly authentication: Authentication;
  readonly accounts: AccountEndpoints;
  /** Where every signed order comes in, whoever sends it. */
  readonly orders: OrderEntry;
  readonly #state: ExchangeState;
  readonly #credit: Credit;
  readonly #limiter: RateLimiter;
  readonly #routes: ReadonlyMap<string, Route>;
  /** By path: the methods that it is offered by. */
  readonly #methods = new Map<string, readonly string[]>();

  /** @throws ConfigError for a fee agreement that cannot be */
  constructor(state: ExchangeState, { desk, clearing, withdrawals, scheme }: RouterParts) {
    this.#state = state;
    this.#credit = clearing.credit;
    this.authentication = new Authentication(state, scheme);
    this.accounts = new AccountEndpoints(state, clearing);
    this.orders = new OrderEntry(state, desk, this.authentication, clearing.credit);
    this.#limiter = new RateLimiter(state.config.rateLimits);
    this.#routes = new Map([
      ...this.#publicRoutes(new PublicEndpoints(state)),
      ...this.#accountRoutes(),
      ...this.#custodyRoutes(
        new CustodyEndpoints(state, clearing, desk, withdrawals, this.authentication),
      ),
      ...this.#orderRoutes(this.orders, new OrderEndpoints(state, desk)),
    ]);
    for (const route of this.#routes.keys()) {
      const [method, path] = route.split(" ") as [string, string];
      this.#methods.set(path, [...(this.#methods.get(path) ?? []), method]);
    }
  }

  /** Answers one request. Errors that are not the exchange's own pass through. */
  handle(request: ApiRequest): ApiAnswer {
    const route = this.#routes.get(`${request.method} ${request.path}`);
    if (route === undefined) {
      const methods = this.#methods.get(request.path);
      return methods === undefined
        ? { status: 404, body: errorBody(1111, "Bad params", "there is no such endpoint") }
        : {
            status: 405,
            body: errorBody(1111, "Bad params", "this method is not offered here"),
            headers: { allow: methods.join(", ") },
          };
    }
    try {
      const parameters = readParameters(request);
      const refusal = this.#refusal(route, request.ip, parameters);
      if (refusal !== null) {
        return refusal;
      }
      return this.#answer(route, parameters);
    } catch (error) {
      return this.#errorAnswer(error);
    }
  }

  #answer(route: Route, parameters: Parameters): ApiAnswer {
    try {
      const body = route.answer(parameters);
      if (body === undefined) return this.#noContent();
      const credited = (account: Account) => route.answerCredited?.(account, parameters) ?? body;
      return this.#withIncoming(
        route,
        parameters,
        { status: 200, body },
        { sinceMs: () => this.#state.nowMs(), credited },
      );
    } catch (error) {
      const answer = this.#errorAnswer(error);
      // It may have been registered a moment ago, by a request whose answer was lost. Any other refusal has credited nothing.
      if (!(error instanceof ApiError && error.code === 2018)) return answer;
      return this.#withIncoming(route, parameters, answer, {
        sinceMs: (account) => account.createdAtMs,
        credited: () => answer.body,
      });
    }
  }

  /** Clients that read every answer as JSON look at its type before they see that there is nothing. */
  #noContent(): ApiAnswer {
    const isJson = this.#state.config.choices.emptyAnswerType === "json";
    return { status: 204, body: "", ...(isJson && { headers: { "content-type": JSON_TYPE } }) };
  }

  #errorAnswer(error: unknown): ApiAnswer {
    if (error instanceof ApiError) {
      return errorAnswer(error, this.#state.config.choices);
    }
    throw error;
  }

  /** An answer with what its account waits for, where the route credits one and the credit does not count yet. */
  #withIncoming(
    route: Route,
    parameters: Parameters,
    answer: ApiAnswer,
    { sinceMs, credited }: AnswerToCredited,
  ): ApiAnswer {
    const account =
      route.isCrediting === true ? this.#state.account(parameters.get("account") ?? "") : undefined;
    if (account === undefined || !this.#credit.isIncoming(account)) return answer;
    return {
      ...answer,
      incoming: { account, sinceMs: sinceMs(account), body: () => credited(account) },
    };
  }

  #refusal(route: Route, ip: string, parameters: Parameters): ApiAnswer | null {
    if (route.bucket === null) {
      return null;
    }
    const { key } = this.#state.config.rateLimits;
    // Whoever names no registered account is counted by address, so that invented names neither escape the limit nor fill the memory.
    const account = this.#state.account(parameters.get("account") ?? "")?.address.toLowerCase();
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
    const unlisted: [string, Route][] = [
      [
        "GET /v1/offchainMarkPriceWithVolKlines",
        common((parameters) => endpoints.offchainMarkPriceWithVolKlines(parameters)),
      ],
      ["GET /v1/platform/tradeVolume", common((parameters) => endpoints.tradeVolume(parameters))],
    ];
    return [
      ...(this.#state.config.choices.unlistedEndpoints ? unlisted : []),
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
    const { authentication } = this;
    const isSigned = this.#state.config.choices.accountEndpointsSigned;
    // An operator may read an account, but not open one.
    const opened = (parameters: Parameters) =>
      isSigned ? authentication.ownerOf(parameters) : addressOf(parameters);
    const read = (parameters: Parameters) =>
      isSigned
        ? authentication.accountOf(parameters)
        : authentication.registered(addressOf(parameters));
    return [
      [
        "POST /v1/account",
        {
          bucket: "COMMON",
          isCrediting: true,
          answer: (parameters) => accounts.register(opened(parameters)),
        },
      ],
      [
        "GET /v1/account",
        { bucket: "COMMON", answer: (parameters) => accounts.read(read(parameters)) },
      ],
      [
        "GET /v1/userTrades",
        this.#private("COMMON", (account, parameters) => accounts.userTrades(account, parameters)),
      ],
      [
        "GET /v1/incomes",
        this.#private("COMMON", (account, parameters) => accounts.incomes(account, parameters)),
      ],
      ["GET /v1/balances", this.#private("COMMON", (account) => accounts.balances(account))],
      ["GET /v1/positions", this.#private("COMMON", (account) => accounts.positions(account))],
    ];
  }

  #custodyRoutes(custody: CustodyEndpoints): [string, Route][] {
    const { faucet, withdrawals } = this.#state.config;
    const routes: [string, Route][] = [
      [
        "POST /operator",
        { bucket: "COMMON", answer: (parameters) => custody.setOperator(parameters) },
      ],
    ];
    if (faucet.enabled) {
      const answerCredited = (account: Account, parameters: Parameters) =>
        custody.faucetAnswer(account, parameters);
      routes.push([
        "POST /faucet",
        {
          bucket: null,
          isCrediting: true,
          answer: (parameters) => custody.faucet(parameters),
          answerCredited,
        },
      ]);
    }
    if (withdrawals.enabled) {
      routes.push([
        "POST /withdraw",
        { bucket: "COMMON", answer: (parameters) => custody.withdraw(parameters) },
      ]);
    }
    return routes;
  }

  #orderRoutes(entry: OrderEntry, orders: OrderEndpoints): [string, Route][] {
    return [
      [
        "POST /v1/order/build",
        this.#private("ORDER", (account, parameters) => entry.build(account, parameters)),
      ],
      [
        "POST /v1/order",
        this.#private("ORDER", (account, parameters) => entry.place(account, parameters)),
      ],
      [
        "DELETE /v1/order",
        this.#private("ORDER", (account, parameters) => void orders.cancel(account, parameters)),
      ],
      [
        "DELETE /v1/allOpenOrders",
        this.#private("ORDER", (account, parameters) => void orders.cancelAll(account, parameters)),
      ],
      [
        "GET /v1/order",
        this.#private("COMMON", (account, parameters) => orders.historyOrder(account, parameters)),
      ],
      [
        "GET /v1/historyOrders",
        this.#private("COMMON", (account, parameters) => orders.historyOrders(account, parameters)),
      ],
      [
        "GET /v1/openOrder",
        this.#private("COMMON", (account, parameters) => orders.openOrder(account, parameters)),
      ],
      [
        "GET /v1/openOrders",
        this.#private("COMMON", (account, parameters) => orders.openOrders(account, parameters)),
      ],
    ];
  }

  #private(
    bucket: RateBucket,
    answer: (account: Account, parameters: Parameters) => string | undefined,
  ): Route {
    return {
      bucket,
      answer: (parameters) => answer(this.authentication.accountOf(parameters), parameters),
    };
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
