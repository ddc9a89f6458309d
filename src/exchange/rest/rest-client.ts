import { z } from "zod";
import { ConfigError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import type { Int64Id, MarketId, Ms } from "../../core/units.js";
import { readTimePages } from "../client/pages.js";
import { account } from "../protocol/account.js";
import {
  decodeBalancesResponse,
  decodeIncomes,
  decodePositions,
  decodeUserTrades,
} from "../protocol/decode-account.js";
import { decodeOrders } from "../protocol/decode-orders.js";
import { createInstruments, decodeRules } from "../protocol/decode-rules.js";
import { DUPLICATED_ACCOUNT } from "../protocol/errors.js";
import { IntegerDecoder } from "../protocol/integer-decoder.js";
import { rawLevel, time } from "../protocol/market-data.js";
import type { OperationName } from "../protocol/operations.js";
import { MAX_PAGE } from "../protocol/parameters.js";
import { count } from "../protocol/values.js";
import { type DecodeContext, parseWire } from "../protocol/wire-parse.js";
import type {
  VenueBalances,
  VenueIncome,
  VenueOrder,
  VenuePosition,
  VenueRules,
  VenueTrade,
} from "../records.js";
import { CoarsenedBook, hasPriceBetweenTicks } from "../streams/coarsened-book.js";
import { VenueError } from "../venue-errors.js";
import { present } from "./action-requests.js";
import type { CallParams } from "./call-params.js";
import { RestCaller, type RestCallerOptions } from "./rest-caller.js";

/** The integer decoder parses the numbers of the levels. */
const rawBook = z.object({ bids: z.array(rawLevel), asks: z.array(rawLevel), sequence: count });

/**
 * One requested book on the market's grid: flat pairs of ticks and lots, best first as the exchange
 * sorts them.
 */
export interface RestBook {
  readonly marketId: MarketId;
  readonly sequence: number;
  readonly bids: readonly number[];
  readonly asks: readonly number[];
}

/**
 * The exchange's REST interface on the markets' grids, as promises, for the bot's commands and
 * short-lived processes; a running bot uses the venue. Library users have the whole interface in
 * `ExchangeClient`. Every method throws {@link VenueError} when the exchange rejects the call,
 * `VenueRequestError` when there is no usable response, ConfigError for wrong parameters and
 * FormatError for a response that is not as specified.
 */
export class RestClient {
  readonly #caller: RestCaller;
  #rules: VenueRules | undefined;

  constructor(options: RestCallerOptions) {
    this.#caller = new RestCaller(options);
  }

  /**
   * Calls any operation by name. @returns its parsed JSON, integers past 2^53 as strings of their
   * digits; null for an empty response.
   */
  call(name: OperationName, params: CallParams = {}): Promise<unknown> {
    return this.#caller.call(name, params);
  }

  /** The exchange's clock. */
  async time(): Promise<Ms> {
    return parseWire(time, await this.call("time"), "time").serverTime;
  }

  /**
   * Reads and checks `exchangeInfo`. @param traded markets that must exist; others that are not as
   * specified are left out.
   */
  async exchangeInfo(traded: readonly MarketId[] = []): Promise<VenueRules> {
    this.#rules = decodeRules(await this.call("exchangeInfo"), traded);
    return this.#rules;
  }

  /** @param limit one of 10, 20, 50, 100, 500, 1000. */
  async orderbook(marketId: MarketId, limit = 500): Promise<RestBook> {
    const instrument = requireMarket(await this.#context(), marketId);
    const book = parseWire(rawBook, await this.call("orderbook", { marketId, limit }), "orderbook");
    const levels = new IntegerDecoder(instrument);
    const onOffGrid = (): void => {};
    const snapshot = {
      bids: levels.levels(book.bids, "bids", onOffGrid),
      asks: levels.levels(book.asks, "asks", onOffGrid),
    };
    const { bids, asks } = hasPriceBetweenTicks(snapshot)
      ? new CoarsenedBook().apply(snapshot)
      : snapshot;
    return { marketId, sequence: book.sequence, bids, asks };
  }

  /** Active orders, in one market or in all that are as specified. */
  async openOrders(marketId?: MarketId): Promise<VenueOrder[]> {
    const context = await this.#context();
    return decodeOrders(
      await this.call("openOrders", present({ marketId })),
      context,
      "openOrders",
    );
  }

  /** Every order of a market with a final status, oldest first, over as many pages as there are. */
  async historyOrders(
    marketId: MarketId,
    range: { readonly startTimeMs?: Ms; readonly endTimeMs?: Ms } = {},
  ): Promise<VenueOrder[]> {
    const context = await this.#context();
    requireMarket(context, marketId);
    const orders = readTimePages({
      operation: "historyOrders",
      page: async (startTime, endTime, limit) =>
        decodeOrders(
          await this.call("historyOrders", present({ marketId, startTime, endTime, limit })),
          context,
          "historyOrders",
        ),
      timeOf: ({ createdAtMs }) => createdAtMs,
      keyOf: ({ id }) => id,
      startTime: range.startTimeMs,
      endTime: range.endTimeMs,
    });
    const all: VenueOrder[] = [];
    for await (const order of orders) all.push(order);
    return all;
  }

  /** One page of the account's trades: the most recent, or ascending from an id. */
  async userTrades(marketId: MarketId, fromId?: Int64Id): Promise<VenueTrade[]> {
    const context = await this.#context();
    return decodeUserTrades(
      await this.call("userTrades", present({ marketId, fromId, limit: MAX_PAGE })),
      context,
    );
  }

  /** One page of the account's incomes. */
  async incomes(marketId: MarketId, startTimeMs?: Ms): Promise<VenueIncome[]> {
    const context = await this.#context();
    return decodeIncomes(
      await this.call("incomes", present({ marketId, startTime: startTimeMs, limit: MAX_PAGE })),
      context,
    );
  }

  /** Balances with positions. */
  async balances(): Promise<{ balances: VenueBalances; positions: VenuePosition[] }> {
    const context = await this.#context();
    return decodeBalancesResponse(await this.call("balances"), context, "balances");
  }

  /** Positions in the known markets. */
  async positions(): Promise<VenuePosition[]> {
    const context = await this.#context();
    return decodePositions(await this.call("positions"), context);
  }

  /** Registers the account with its own signature. @returns false if it was registered already. */
  async registerAccount(): Promise<boolean> {
    try {
      parseWire(
        account,
        await this.call("registerAccount", { account: this.#caller.account }),
        "account",
      );
      return true;
    } catch (error) {
      if (error instanceof VenueError && error.code === DUPLICATED_ACCOUNT) return false;
      throw error;
    }
  }

  /**
   * Exchange time at which the account was created. @throws VenueError if the exchange does not
   * know it
   */
  async accountCreatedAtMs(): Promise<Ms> {
    return parseWire(
      account,
      await this.call("account", { account: this.#caller.account }),
      "account",
    ).createdAt;
  }

  /** Cancels every open order of the account in a market, or in all, manual ones included. */
  async cancelAllOpenOrders(marketId?: MarketId): Promise<void> {
    await this.call("cancelAllOpenOrders", present({ marketId }));
  }

  /** Cancels one order. */
  async cancelOrder(marketId: MarketId, orderId: Int64Id): Promise<void> {
    await this.call("cancelOrder", { marketId, orderId });
  }

  async #context(): Promise<DecodeContext> {
    const rules = this.#rules ?? (await this.exchangeInfo());
    return { creditDecimals: rules.creditDecimals, instruments: createInstruments(rules) };
  }
}

function requireMarket(context: DecodeContext, marketId: MarketId): Instrument {
  const instrument = context.instruments.get(marketId);
  if (instrument !== undefined) return instrument;
  const expected = `one of ${[...context.instruments.keys()].join(", ") || "none"}`;
  throw new ConfigError("the exchange has no such market", {
    field: "marketId",
    value: marketId,
    expected,
  });
}
