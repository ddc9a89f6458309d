import type { SignatureScheme } from "../../core/crypto/signing.js";
import type { Ms } from "../../core/units.js";
import type { ExchangeAccount } from "../accounts/account.js";
import type { Clearing } from "../accounts/clearing.js";
import type { CreditLedger } from "../accounts/credit-ledger.js";
import type { Withdrawals } from "../accounts/withdrawals.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { OrderManager } from "../matching/order-manager.js";
import {
  ApiError,
  type ApiResponse,
  formatErrorBody,
  JSON_TYPE,
  toErrorResponse,
} from "./api-error.js";
import { Authentication, readAddress } from "./authentication.js";
import { AccountEndpoints } from "./endpoints/account-endpoints.js";
import { CustodyEndpoints } from "./endpoints/custody-endpoints.js";
import { exchangeInfoRecord } from "./endpoints/exchange-info.js";
import { OrderEndpoints } from "./endpoints/order-endpoints.js";
import { OrderEntry } from "./endpoints/order-entry.js";
import { PublicEndpoints } from "./endpoints/public-endpoints.js";
import { type OfferedName, offeredOperations } from "./offered-operations.js";
import { type ApiRequest, readParameters } from "./parameters.js";
import { type RateBucket, RateLimiter, type RateRefusal } from "./rate-limiter.js";

/** Dependencies of {@link Router}. */
export interface RouterDeps {
  readonly orderManager: OrderManager;
  readonly clearing: Clearing;
  readonly withdrawals: Withdrawals;
  readonly scheme: SignatureScheme;
}

type Parameters = ReadonlyMap<string, string>;

/** The implementation of an endpoint. A void result is a 204. */
interface Endpoint {
  /** True if it credits the named account, also if that was done before. */
  readonly isCrediting?: boolean;
  /** The response once the credit counts, if it differs from the first one. */
  answerCredited?(account: ExchangeAccount, parameters: Parameters): string;
  answer(parameters: Parameters): string | undefined;
}

/** An endpoint as it is offered, and the limit that it counts against. */
interface Route extends Endpoint {
  readonly bucket: RateBucket | null;
}

/** The time from which an account waits for its credit, and the response then. */
interface AnswerToCredited {
  sinceMs(account: ExchangeAccount): Ms;
  credited(account: ExchangeAccount): string;
}

/**
 * The HTTP interface: finds the endpoint, counts the request, authenticates the client, and
 * responds.
 */
export class Router {
  readonly authentication: Authentication;
  readonly accounts: AccountEndpoints;
  /** The entry of every signed order, from any source. */
  readonly orders: OrderEntry;
  readonly #state: ExchangeState;
  readonly #credit: CreditLedger;
  readonly #limiter: RateLimiter;
  readonly #routes: ReadonlyMap<string, Route>;
  /** The offered methods by path. */
  readonly #methods = new Map<string, readonly string[]>();

  /** @throws ConfigError for an invalid fee agreement */
  constructor(state: ExchangeState, { orderManager, clearing, withdrawals, scheme }: RouterDeps) {
    this.#state = state;
    this.#credit = clearing.credit;
    this.authentication = new Authentication(state, scheme);
    this.accounts = new AccountEndpoints(state, clearing);
    this.orders = new OrderEntry(state, orderManager, this.authentication, clearing.credit);
    this.#limiter = new RateLimiter(state.config.rateLimits);
    const endpoints: Readonly<Record<OfferedName, Endpoint>> = {
      ...this.#publicEndpoints(new PublicEndpoints(state)),
      ...this.#accountEndpoints(),
      ...this.#custodyEndpoints(
        new CustodyEndpoints(state, clearing, orderManager, withdrawals, this.authentication),
      ),
      ...this.#orderEndpoints(this.orders, new OrderEndpoints(state, orderManager)),
    };
    this.#routes = new Map(
      offeredOperations(state.config).map(({ name, method, path, bucket }) => [
        `${method} ${path}`,
        { ...endpoints[name], bucket },
      ]),
    );
    for (const route of this.#routes.keys()) {
      const [method, path] = route.split(" ") as [string, string];
      this.#methods.set(path, [...(this.#methods.get(path) ?? []), method]);
    }
  }

  /** Answers one request. Internal errors are thrown on. */
  handle(request: ApiRequest): ApiResponse {
    const route = this.#routes.get(`${request.method} ${request.path}`);
    if (route === undefined) {
      const methods = this.#methods.get(request.path);
      return methods === undefined
        ? { status: 404, body: formatErrorBody(1111, "Bad params", "unknown endpoint") }
        : {
            status: 405,
            body: formatErrorBody(1111, "Bad params", "this endpoint does not have this method"),
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

  #answer(route: Route, parameters: Parameters): ApiResponse {
    try {
      const body = route.answer(parameters);
      if (body === undefined) return this.#noContent();
      const credited = (account: ExchangeAccount) =>
        route.answerCredited?.(account, parameters) ?? body;
      return this.#withIncoming(
        route,
        parameters,
        { status: 200, body },
        { sinceMs: () => this.#state.nowMs(), credited },
      );
    } catch (error) {
      const answer = this.#errorAnswer(error);
      // The account may have been registered just now, by a request whose response was lost. Any
      // other refusal has credited nothing.
      if (!(error instanceof ApiError && error.code === 2018)) return answer;
      return this.#withIncoming(route, parameters, answer, {
        sinceMs: (account) => account.createdAtMs,
        credited: () => answer.body,
      });
    }
  }

  /** Clients that parse every response as JSON check its type before they see that it is empty. */
  #noContent(): ApiResponse {
    const isJson = this.#state.config.choices.emptyAnswerType === "json";
    return { status: 204, body: "", ...(isJson && { headers: { "content-type": JSON_TYPE } }) };
  }

  #errorAnswer(error: unknown): ApiResponse {
    if (error instanceof ApiError) {
      return toErrorResponse(error, this.#state.config.choices);
    }
    throw error;
  }

  /**
   * Adds the pending credit to a response, if the route credits an account and the credit does not
   * count yet.
   */
  #withIncoming(
    route: Route,
    parameters: Parameters,
    answer: ApiResponse,
    { sinceMs, credited }: AnswerToCredited,
  ): ApiResponse {
    const account =
      route.isCrediting === true ? this.#state.account(parameters.get("account") ?? "") : undefined;
    if (account === undefined || !this.#credit.hasPendingDeposit(account)) return answer;
    return {
      ...answer,
      pendingCredit: { account, sinceMs: sinceMs(account), body: () => credited(account) },
    };
  }

  #refusal(route: Route, ip: string, parameters: Parameters): ApiResponse | null {
    if (route.bucket === null) {
      return null;
    }
    const { key } = this.#state.config.rateLimits;
    // A request without a registered account is counted by IP address, so that invented names
    // neither escape the limit nor fill the memory.
    const account = this.#state.account(parameters.get("account") ?? "")?.address.toLowerCase();
    const keys = [...(key === "account" && account !== undefined ? [] : [`ip ${ip}`])];
    if (key !== "ip" && account !== undefined) {
      keys.push(`account ${account}`);
    }
    return throttled(this.#limiter.admit(keys, route.bucket, this.#state.nowMs()));
  }

  /** The response to a stream that a banned address opens; null if it may. */
  checkStreamBan(ip: string): ApiResponse | null {
    return throttled(this.#limiter.ban(`ip ${ip}`, this.#state.nowMs()));
  }

  #publicEndpoints(endpoints: PublicEndpoints) {
    return {
      time: { answer: () => endpoints.time() },
      exchangeInfo: { answer: () => JSON.stringify(exchangeInfoRecord(this.#state)) },
      orderbook: { answer: (parameters) => endpoints.orderbook(parameters) },
      trades: { answer: (parameters) => endpoints.trades(parameters) },
      historicalTrades: { answer: (parameters) => endpoints.historicalTrades(parameters) },
      klines: { answer: (parameters) => endpoints.klines(parameters) },
      markPriceKlines: { answer: (parameters) => endpoints.markPriceKlines(parameters) },
      offchainMarkPriceWithVolKlines: {
        answer: (parameters) => endpoints.offchainMarkPriceWithVolKlines(parameters),
      },
      tradeVolume: { answer: (parameters) => endpoints.tradeVolume(parameters) },
      fundingRate: { answer: (parameters) => endpoints.fundingRate(parameters) },
      contracts: { answer: () => endpoints.contracts() },
      riskyAccounts: { answer: () => endpoints.riskyAccounts() },
    } satisfies Partial<Record<OfferedName, Endpoint>>;
  }

  #accountEndpoints() {
    const { accounts, authentication } = this;
    const isSigned = this.#state.config.choices.accountEndpointsSigned;
    // An operator may read an account, but not open one.
    const opened = (parameters: Parameters) =>
      isSigned ? authentication.requireOwner(parameters) : readAddress(parameters);
    const read = (parameters: Parameters) =>
      isSigned
        ? authentication.requireAccount(parameters)
        : authentication.requireRegistered(readAddress(parameters));
    return {
      registerAccount: {
        isCrediting: true,
        answer: (parameters) => accounts.register(opened(parameters)),
      },
      account: { answer: (parameters) => accounts.read(read(parameters)) },
      userTrades: this.#private((account, parameters) => accounts.userTrades(account, parameters)),
      incomes: this.#private((account, parameters) => accounts.incomes(account, parameters)),
      balances: this.#private((account) => accounts.balances(account)),
      positions: this.#private((account) => accounts.positions(account)),
    } satisfies Partial<Record<OfferedName, Endpoint>>;
  }

  #custodyEndpoints(custody: CustodyEndpoints) {
    return {
      setOperator: { answer: (parameters) => custody.setOperator(parameters) },
      faucet: {
        isCrediting: true,
        answer: (parameters) => custody.faucet(parameters),
        answerCredited: (account, parameters) => custody.faucetAnswer(account, parameters),
      },
      withdraw: { answer: (parameters) => custody.withdraw(parameters) },
    } satisfies Partial<Record<OfferedName, Endpoint>>;
  }

  #orderEndpoints(entry: OrderEntry, orders: OrderEndpoints) {
    return {
      buildOrder: this.#private((account, parameters) => entry.build(account, parameters)),
      placeOrder: this.#private((account, parameters) => entry.place(account, parameters)),
      cancelOrder: this.#private((account, parameters) => void orders.cancel(account, parameters)),
      cancelAllOpenOrders: this.#private(
        (account, parameters) => void orders.cancelAll(account, parameters),
      ),
      order: this.#private((account, parameters) => orders.historyOrder(account, parameters)),
      historyOrders: this.#private((account, parameters) =>
        orders.historyOrders(account, parameters),
      ),
      openOrder: this.#private((account, parameters) => orders.openOrder(account, parameters)),
      openOrders: this.#private((account, parameters) => orders.openOrders(account, parameters)),
    } satisfies Partial<Record<OfferedName, Endpoint>>;
  }

  #private(
    answer: (account: ExchangeAccount, parameters: Parameters) => string | undefined,
  ): Endpoint {
    return {
      answer: (parameters) => answer(this.authentication.requireAccount(parameters), parameters),
    };
  }
}

function throttled(refusal: RateRefusal | null): ApiResponse | null {
  return refusal === null
    ? null
    : {
        status: refusal.status,
        body: formatErrorBody(refusal.status, "Too many requests", "over the rate limit"),
        headers: { "retry-after": String(refusal.retryAfterSeconds) },
      };
}
