import { ConfigError, FormatError } from "../core/errors.js";
import type { Instrument } from "../core/instrument.js";
import { parseInt64Json } from "../core/int64-json.js";
import type { Signer } from "../core/signing.js";
import type { Hex, Int64Id, MarketId, Ms } from "../core/units.js";
import { present } from "./action-requests.js";
import { type CallParams, checkedParams } from "./call-params.js";
import { decodeBalancesAnswer, decodeIncomes, decodePositions, decodeUserTrades } from "./decode-account.js";
import { decodeOrders } from "./decode-orders.js";
import { decodeRules, instrumentsOf } from "./decode-rules.js";
import { everyOrder, type OrderPage } from "./history-pages.js";
import { IntegerDecoder } from "./integer-decoder.js";
import { MAX_PAGE, OPERATIONS, type OperationName } from "./operations.js";
import type { VenueBalances, VenueIncome, VenueOrder, VenuePosition, VenueRules, VenueTrade } from "./records.js";
import { canonicalParams, signedParams } from "./request-signing.js";
import type { HttpResult, Transport } from "./transport.js";
import { DUPLICATED_ACCOUNT, VenueError, VenueRequestError } from "./venue-errors.js";
import { type DecodeContext, parseWire } from "./wire-parse.js";
import { accountSchema, errorSchema, orderBookSchema, timeSchema } from "./wire-schemas.js";

/** What a REST client is made of. */
export interface RestClientOptions {
  readonly transport: Pick<Transport, "request">;
  /** Exchange time as the caller estimates it: the signed timestamp. */
  readonly nowMs: () => Ms;
  /** Needed for the private operations. */
  readonly signer?: Signer;
  /** The trading account; the signer's own when absent. */
  readonly account?: Hex;
  /** 10000 when absent. */
  readonly timeoutMs?: Ms;
}

/** One book as it was asked for, on the market's grid: flat pairs of ticks and lots, best first as the exchange sorts them. */
export interface RestBook {
  readonly marketId: MarketId;
  readonly sequence: number;
  readonly bids: readonly number[];
  readonly asks: readonly number[];
}

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * The exchange's REST interface as promises, for commands and short-lived processes; a running bot goes through the venue.
 * Every method throws {@link VenueError} when the exchange refuses, {@link VenueRequestError} when there is no usable answer,
 * ConfigError for wrong parameters and FormatError for an answer that is not as specified.
 */
export class RestClient {
  readonly #options: RestClientOptions;
  #rules: VenueRules | undefined;

  constructor(options: RestClientOptions) {
    this.#options = options;
  }

  /** Any operation by name. @returns its parsed JSON, integers past 2^53 as strings of their digits; null for an empty answer. */
  async call(name: OperationName, params: CallParams = {}): Promise<unknown> {
    const operation = OPERATIONS[name];
    const checked = checkedParams(operation, params);
    const { method, path } = operation;
    const text = operation.isPrivate ? this.#signed(checked) : canonicalParams(checked);
    const timeoutMs = this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const result = await new Promise<HttpResult>((resolve) => {
      this.#options.transport.request({ method, path, params: text, timeoutMs }, resolve);
    });
    return answerOf(result, `${method} ${path}`);
  }

  /** The exchange's clock. */
  async time(): Promise<Ms> {
    return parseWire(timeSchema, await this.call("time"), "time").serverTime;
  }

  /** `exchangeInfo`, checked. @param traded markets that must be there; others that are not as specified are left out. */
  async exchangeInfo(traded: readonly MarketId[] = []): Promise<VenueRules> {
    this.#rules = decodeRules(await this.call("exchangeInfo"), traded);
    return this.#rules;
  }

  /** @param limit one of 10, 20, 50, 100, 500, 1000. */
  async orderbook(marketId: MarketId, limit = 500): Promise<RestBook> {
    const instrument = requireMarket(await this.#context(), marketId);
    const book = parseWire(orderBookSchema, await this.call("orderbook", { marketId, limit }), "orderbook");
    const levels = new IntegerDecoder(instrument);
    return { marketId, sequence: book.sequence, bids: levels.levels(book.bids, "bids"), asks: levels.levels(book.asks, "asks") };
  }

  /** Active orders, in one market or in all that are as specified. */
  async openOrders(marketId?: MarketId): Promise<VenueOrder[]> {
    const context = await this.#context();
    return decodeOrders(await this.call("openOrders", present({ marketId })), context, "openOrders");
  }

  /** Every order of a market whose status is final, oldest first, over as many pages as there are. */
  async historyOrders(marketId: MarketId, range: { readonly startTimeMs?: Ms; readonly endTimeMs?: Ms } = {}): Promise<VenueOrder[]> {
    const context = await this.#context();
    requireMarket(context, marketId);
    const page: OrderPage = async (startTime, endTime) => {
      const params = present({ marketId, startTime, endTime, limit: MAX_PAGE });
      return decodeOrders(await this.call("historyOrders", params), context, "historyOrders");
    };
    return everyOrder(page, range.startTimeMs, range.endTimeMs);
  }

  /** One page of the account's trades: the most recent, or ascending from an id. */
  async userTrades(marketId: MarketId, fromId?: Int64Id): Promise<VenueTrade[]> {
    const context = await this.#context();
    return decodeUserTrades(await this.call("userTrades", present({ marketId, fromId, limit: MAX_PAGE })), context);
  }

  /** One page of the account's incomes. */
  async incomes(marketId: MarketId, startTimeMs?: Ms): Promise<VenueIncome[]> {
    const context = await this.#context();
    return decodeIncomes(await this.call("incomes", present({ marketId, startTime: startTimeMs, limit: MAX_PAGE })), context);
  }

  /** Balances with positions. */
  async balances(): Promise<{ balances: VenueBalances; positions: VenuePosition[] }> {
    const context = await this.#context();
    return decodeBalancesAnswer(await this.call("balances"), context, "balances");
  }

  /** Positions in the known markets. */
  async positions(): Promise<VenuePosition[]> {
    const context = await this.#context();
    return decodePositions(await this.call("positions"), context);
  }

  /** Registers the account, signed by itself. @returns false when it was registered already. */
  async registerAccount(): Promise<boolean> {
    try {
      parseWire(accountSchema, await this.call("registerAccount", { account: this.#account() }), "account");
      return true;
    } catch (error) {
      if (error instanceof VenueError && error.code === DUPLICATED_ACCOUNT) return false;
      throw error;
    }
  }

  /** Cancels every open order of the account in a market, or in all: manual ones too. */
  async cancelAllOpenOrders(marketId?: MarketId): Promise<void> {
    await this.call("cancelAllOpenOrders", present({ marketId }));
  }

  /** Cancels one order. */
  async cancelOrder(marketId: MarketId, orderId: Int64Id): Promise<void> {
    await this.call("cancelOrder", { marketId, orderId });
  }

  async #context(): Promise<DecodeContext> {
    const rules = this.#rules ?? (await this.exchangeInfo());
    return { creditDecimals: rules.creditDecimals, instruments: instrumentsOf(rules) };
  }

  #account(): Hex {
    const account = this.#options.account ?? this.#options.signer?.address;
    if (account === undefined)
      throw new ConfigError("a private operation needs an account", { field: "account", expected: "a signing key" });
    return account;
  }

  #signed(params: Readonly<Record<string, string>>): string {
    const { signer, nowMs } = this.#options;
    if (signer === undefined) throw new ConfigError("a private operation needs a key", { field: "account", expected: "a signing key" });
    return signedParams(params, params.account ?? this.#account(), nowMs(), signer);
  }
}

function requireMarket(context: DecodeContext, marketId: MarketId): Instrument {
  const instrument = context.instruments.get(marketId);
  if (instrument !== undefined) return instrument;
  const expected = `one of ${[...context.instruments.keys()].join(", ") || "none"}`;
  throw new ConfigError("the exchange has no such market", { field: "marketId", value: marketId, expected });
}

function answerOf(result: HttpResult, where: string): unknown {
  if (!result.ok) throw new VenueRequestError(`${where}: ${result.message}`, { mayHaveHappened: result.sent });
  const { status, body, retryAfterMs } = result;
  if (status === 429 || status === 418) {
    throw new VenueRequestError(`${where}: refused by the rate limit (HTTP ${status})`, {
      httpStatus: status,
      retryAfterMs,
      mayHaveHappened: false,
    });
  }
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && body.trim() === "") return null;
  const value = jsonOf(body);
  const coded = errorSchema.safeParse(value);
  if (coded.success) throw new VenueError(coded.data, status);
  if (!isSuccess || value === undefined) {
    throw new VenueRequestError(`${where}: HTTP ${status}: ${body.slice(0, 200)}`, { httpStatus: status, mayHaveHappened: status !== 403 });
  }
  return value;
}

function jsonOf(body: string): unknown {
  try {
    return parseInt64Json(body);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError || error instanceof FormatError) return undefined;
    throw error;
  }
}
