import { checkShape } from "../../core/config/config-shape.js";
import type { Signer } from "../../core/crypto/signing.js";
import { warnRenamed } from "../../core/renamed.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import { decodeRules } from "../protocol/decode-rules.js";
import type { ExchangeInfo } from "../protocol/market.js";
import { OPERATIONS, type OperationName, type OperationResponses } from "../protocol/operations.js";
import type { Order } from "../protocol/order.js";
import { parseWire } from "../protocol/wire-parse.js";
import type { VenueRules } from "../records.js";
import type { CallParams } from "../rest/call-params.js";
import { RateGate } from "../rest/rate-gate.js";
import { RestCaller } from "../rest/rest-caller.js";
import { Retrier, type RetryPolicy } from "../rest/retrier.js";
import type { Transport } from "../rest/transport.js";
import { type FormerRuntimeOption, withRuntime } from "../runtime-option.js";
import { Histories } from "./histories.js";
import type { OperationParams } from "./operation-params.js";
import { OrderPlacer, type PreparedOrder } from "./order-placer.js";
import { type NewOrder, type OrderSettings, orderSettingsSchema } from "./order-settings.js";
import { toCallParams } from "./to-call-params.js";

/** Options of a client; `connect` makes one from addresses. */
export interface ExchangeClientOptions {
  readonly transport: Pick<Transport, "request">;
  readonly runtime: Runtime;
  /** Needed for the private operations. */
  readonly signer?: Signer;
  /** The trading account; default: the signer's own. Another one if the signer is its operator. */
  readonly account?: Hex;
  /** Time limit of one request; default 10000. */
  readonly timeoutMs?: Ms;
  /** The rate budget, shared with every user of the same gate; default: a new one. */
  readonly gate?: RateGate;
  /** Retries of reads and cancels; `tries: 1` disables them. */
  readonly retry?: Partial<RetryPolicy>;
  readonly orders?: OrderSettings;
}

/** Parameters that only name the account, which the client knows. */
type OwnAccount = Partial<OperationParams<"account">>;

/**
 * The exchange's whole REST interface: ten public and fourteen private operations, typed in and
 * out, each under its name in the table `OPERATIONS`. Every method throws VenueError when the
 * exchange refuses, VenueRequestError when there is no usable answer, RateLimitError when the rate
 * budget does not allow the call, ConfigError for a wrong parameter or a missing key, and
 * FormatError for an answer that is not as specified. Reads and cancels are repeated where they got
 * no answer; whatever builds, places or registers goes out once.
 * @example
 * ```ts
 * import { connect } from "marketwright/exchange";
 *
 * const { client, close } = await connect({
 *   baseUrl: process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1",
 *   // The key of an account that is registered with the exchange.
 *   key: process.env.MARKETWRIGHT_KEY,
 * });
 * const order = await client.place({
 *   marketId: "btcusdc",
 *   side: "BUY",
 *   price: "20000",
 *   amount: "0.02",
 *   timeInForce: "POST_ONLY",
 * });
 * await client.cancelOrder({ marketId: "btcusdc", orderId: order.id });
 * const open = await client.openOrders({ marketId: "btcusdc" });
 * close();
 * String(order.price); // => "20000"
 * open.some(({ id }) => id === order.id); // => false
 * ```
 */
export class ExchangeClient {
  /** Complete histories over as many pages as needed. */
  readonly all: Histories;
  /** The rate budget in use. */
  readonly gate: RateGate;
  readonly #runtime: Runtime;
  readonly #caller: RestCaller;
  readonly #placer: OrderPlacer;
  readonly #closing = new AbortController();
  #offsetMs: Ms = 0;
  #rules: VenueRules | undefined;
  #rawInfo: unknown;

  constructor(options: ExchangeClientOptions | FormerRuntimeOption<ExchangeClientOptions>) {
    const { runtime, retry, orders = {}, ...call } = withRuntime(options);
    const { gate = new RateGate({ clock: runtime.clock }) } = call;
    checkShape(orderSettingsSchema, orders, { at: ["orders"] });
    this.#runtime = runtime;
    this.gate = gate;
    this.#caller = new RestCaller({
      ...call,
      gate,
      retrier: new Retrier(runtime, retry),
      nowMs: () => this.nowMs(),
      signal: this.#closing.signal,
    });
    this.all = new Histories((name, params) => this.request(name, params));
    this.#placer = new OrderPlacer({
      settings: orders,
      account: () => this.address,
      signer: call.signer,
      random: runtime.random,
      nowMs: () => this.nowMs(),
      rules: (marketId) => this.#rulesOf(marketId),
      build: (params) => this.buildOrder(params),
      place: (params) => this.placeOrder(params),
    });
  }

  /** The trading account. @throws ConfigError when there is neither an account nor a key */
  get address(): Hex {
    return this.#caller.account;
  }

  /**
   * Exchange time from this machine's clock and the last {@link syncClock}: requests are signed
   * with it.
   */
  nowMs(): Ms {
    return this.#runtime.clock.nowMs() + this.#offsetMs;
  }

  /**
   * Reads the exchange's clock, and signs in its time from now on. @returns the exchange's clock
   * less this machine's.
   */
  async syncClock(): Promise<Ms> {
    const { clock } = this.#runtime;
    const before = clock.monotonicMs();
    const { serverTime } = await this.time();
    const roundTripMs = clock.monotonicMs() - before;
    this.#offsetMs = Math.round(serverTime + roundTripMs / 2 - clock.nowMs());
    return this.#offsetMs;
  }

  /** @deprecated Use {@link request}. */
  ask<Name extends OperationName>(
    name: Name,
    params: OperationParams<Name>,
  ): Promise<OperationResponses[Name]> {
    warnRenamed("ExchangeClient.ask", "ExchangeClient.request");
    return this.request(name, params);
  }

  /** Sends any operation by its name. */
  async request<Name extends OperationName>(
    name: Name,
    params: OperationParams<Name>,
  ): Promise<OperationResponses[Name]> {
    return parseWire(
      OPERATIONS[name].answer,
      await this.#caller.call(name, toCallParams(params)),
      name,
    );
  }

  /**
   * Sends any operation by its name; returns its response as parsed JSON. Integers past 2^53 are
   * strings of their digits, an empty response is null.
   */
  call(name: OperationName, params: CallParams = {}): Promise<unknown> {
    return this.#caller.call(name, params);
  }

  /** `GET /v1/time`: the exchange's clock. */
  time(): Promise<OperationResponses["time"]> {
    return this.request("time", {});
  }

  /**
   * `GET /v1/exchangeInfo`: rules, markets, limits, domain. The client applies them from then on.
   */
  async exchangeInfo(): Promise<ExchangeInfo> {
    return parseWire(OPERATIONS.exchangeInfo.answer, await this.#readInfo(), "exchangeInfo");
  }

  /** `GET /v1/orderbook`. */
  orderbook(params: OperationParams<"orderbook">): Promise<OperationResponses["orderbook"]> {
    return this.request("orderbook", params);
  }

  /** `GET /v1/trades`: the most recent trades of a market. */
  trades(params: OperationParams<"trades">): Promise<OperationResponses["trades"]> {
    return this.request("trades", params);
  }

  /** `GET /v1/historicalTrades`: one page; {@link all} has every one. */
  historicalTrades(
    params: OperationParams<"historicalTrades">,
  ): Promise<OperationResponses["historicalTrades"]> {
    return this.request("historicalTrades", params);
  }

  /** `GET /v1/klines`: one page of candles. */
  klines(params: OperationParams<"klines">): Promise<OperationResponses["klines"]> {
    return this.request("klines", params);
  }

  /** `GET /v1/markPriceKlines`: one page of candles of the mark price. */
  markPriceKlines(
    params: OperationParams<"markPriceKlines">,
  ): Promise<OperationResponses["markPriceKlines"]> {
    return this.request("markPriceKlines", params);
  }

  /**
   * `GET /v1/offchainMarkPriceWithVolKlines`: candles of the off-chain mark with what was traded.
   * Not in the specification.
   */
  offchainMarkPriceWithVolKlines(
    params: OperationParams<"offchainMarkPriceWithVolKlines">,
  ): Promise<OperationResponses["offchainMarkPriceWithVolKlines"]> {
    return this.request("offchainMarkPriceWithVolKlines", params);
  }

  /**
   * `GET /v1/platform/tradeVolume`: quote traded in all and each day, of one market or of all. Not
   * in the specification.
   */
  tradeVolume(
    params: OperationParams<"tradeVolume"> = {},
  ): Promise<OperationResponses["tradeVolume"]> {
    return this.request("tradeVolume", params);
  }

  /** `GET /v1/fundingRate`: one page of past funding rates. */
  fundingRate(params: OperationParams<"fundingRate">): Promise<OperationResponses["fundingRate"]> {
    return this.request("fundingRate", params);
  }

  /**
   * `GET /v1/riskyAccounts`: accounts near liquidation. `isSafe` may be stale: confirm on the chain
   * before acting.
   */
  riskyAccounts(): Promise<OperationResponses["riskyAccounts"]> {
    return this.request("riskyAccounts", {});
  }

  /** `GET /v1/contracts`: a summary of all contracts. */
  contracts(): Promise<OperationResponses["contracts"]> {
    return this.request("contracts", {});
  }

  /**
   * `POST /v1/account`: registers the account, which only its own key may do. For an existing
   * account it throws VenueError 2018.
   */
  registerAccount(params: OwnAccount = {}): Promise<OperationResponses["registerAccount"]> {
    return this.#ofOwn("registerAccount", params);
  }

  /** `GET /v1/account`: an account's registration; default: the client's own account. */
  account(params: OwnAccount = {}): Promise<OperationResponses["account"]> {
    return this.#ofOwn("account", params);
  }

  /** `POST /v1/order/build`: an order to check and sign. {@link prepare} does all of it. */
  buildOrder(params: OperationParams<"buildOrder">): Promise<OperationResponses["buildOrder"]> {
    return this.request("buildOrder", params);
  }

  /** `POST /v1/order`: sends a signed order. {@link place} does all of it. */
  placeOrder(params: OperationParams<"placeOrder">): Promise<OperationResponses["placeOrder"]> {
    return this.request("placeOrder", params);
  }

  /**
   * Builds, signs and sends an order according to the settings. @throws as `OrderPlacer.prepare`
   * and `send`
   */
  place(order: NewOrder): Promise<Order> {
    return this.#placer.place(order);
  }

  /**
   * Builds, checks and signs an order without sending it. Its hash is then known before a response
   * can be lost.
   */
  prepare(order: NewOrder): Promise<PreparedOrder> {
    return this.#placer.prepare(order);
  }

  /** Sends a prepared order, once. @returns the order as accepted, which is not a trade result. */
  send(prepared: PreparedOrder): Promise<Order> {
    return this.#placer.send(prepared);
  }

  /**
   * `DELETE /v1/order`. For an order that is no longer open it throws VenueError 2011, also if an
   * earlier try without a response has cancelled it.
   */
  async cancelOrder(params: OperationParams<"cancelOrder">): Promise<void> {
    await this.request("cancelOrder", params);
  }

  /**
   * `DELETE /v1/allOpenOrders`: cancels every open order of the account, whichever client placed
   * it, in one market or in all.
   */
  async cancelAllOpenOrders(params: OperationParams<"cancelAllOpenOrders"> = {}): Promise<void> {
    await this.request("cancelAllOpenOrders", params);
  }

  /** `GET /v1/historyOrders`: one page of orders whose status is final. */
  historyOrders(
    params: OperationParams<"historyOrders">,
  ): Promise<OperationResponses["historyOrders"]> {
    return this.request("historyOrders", params);
  }

  /** `GET /v1/order`: one order whose status is final. */
  order(params: OperationParams<"order">): Promise<OperationResponses["order"]> {
    return this.request("order", params);
  }

  /** `GET /v1/openOrder`: one active order. */
  openOrder(params: OperationParams<"openOrder"> = {}): Promise<OperationResponses["openOrder"]> {
    return this.request("openOrder", params);
  }

  /** `GET /v1/openOrders`: all active orders, in one market or in all. */
  openOrders(
    params: OperationParams<"openOrders"> = {},
  ): Promise<OperationResponses["openOrders"]> {
    return this.request("openOrders", params);
  }

  /** `GET /v1/userTrades`: one page of the account's trades; `fromId` excludes the times. */
  userTrades(params: OperationParams<"userTrades">): Promise<OperationResponses["userTrades"]> {
    return this.request("userTrades", params);
  }

  /** `GET /v1/incomes`: one page of changes of the account's credit. */
  incomes(params: OperationParams<"incomes">): Promise<OperationResponses["incomes"]> {
    return this.request("incomes", params);
  }

  /** `GET /v1/balances`: balances with positions. */
  balances(): Promise<OperationResponses["balances"]> {
    return this.request("balances", {});
  }

  /** `GET /v1/positions`. */
  positions(): Promise<OperationResponses["positions"]> {
    return this.request("positions", {});
  }

  /** Rejects calls that wait for the rate budget or a retry. Does not close the transport. */
  close(): void {
    this.#closing.abort();
  }

  async #ofOwn(
    name: "registerAccount" | "account",
    { account = this.address }: OwnAccount,
  ): Promise<OperationResponses["account"]> {
    return this.request(name, { account });
  }

  async #readInfo(): Promise<unknown> {
    const raw = await this.#caller.call("exchangeInfo");
    const rules = decodeRules(raw, []);
    this.gate.setLimits(rules.rateLimits);
    this.#rawInfo = raw;
    this.#rules = rules;
    return raw;
  }

  async #rulesOf(marketId: MarketId): Promise<VenueRules> {
    if (this.#rules === undefined) await this.#readInfo();
    const rules = this.#rules as VenueRules;
    // A market that is not among them is missing, or not as specified. Decoding it alone gives the
    // reason.
    return Object.hasOwn(rules.markets, marketId) ? rules : decodeRules(this.#rawInfo, [marketId]);
  }
}
