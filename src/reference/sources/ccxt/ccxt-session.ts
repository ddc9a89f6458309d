import { Agent, fetch, type RequestInit, type Response } from "undici";
import type { CcxtExchange, CcxtExchangeClass } from "../../../ccxt/ccxt-exchange.js";
import { mapTexts } from "../../../ccxt/map-texts.js";
import { watchSends } from "../../../ccxt/watch-sends.js";
import { findNearestName } from "../../../core/config/find-nearest-name.js";
import { formatErrorValue, RunError } from "../../../core/errors.js";
import type { PriceMessage } from "../../price-message.js";
import { readPrice } from "../read-price.js";
import type { CcxtStream } from "./ccxt-exchanges.js";
import type { PublicRequests } from "./public-requests.js";

/** Time limit of one request for the list of markets or a snapshot of a book. */
const REQUEST_MS = 10_000;
/** Levels of a book whose snapshot is a request of its own: the least that costs little there. */
const SNAPSHOT_LEVELS = 100;
/** Texts of a websocket that keep it open. */
const HEARTBEAT = /^(?:ping|pong)$/i;

/** Dependencies of a {@link CcxtSession}. */
export interface CcxtSessionDeps {
  readonly base: CcxtExchangeClass;
  readonly symbol: string;
  readonly stream: CcxtStream;
  readonly options: Readonly<Record<string, unknown>>;
  readonly requests: PublicRequests;
  /** The market as an earlier session loaded it. */
  readonly market: unknown;
  readonly onMessage: (message: PriceMessage) => void;
}

/**
 * One connection of ccxt to one market: loads the market, then watches its stream until it fails or
 * is closed. ccxt itself opens no connection again: a session that failed is replaced as a whole,
 * with the caches that it filled. Nothing signs, since no key is passed.
 */
export class CcxtSession {
  readonly #deps: CcxtSessionDeps;
  readonly #exchange: CcxtExchange;
  readonly #agent = new Agent();
  readonly #closing = new AbortController();

  constructor(deps: CcxtSessionDeps) {
    this.#deps = deps;
    const { requests, onMessage, options } = deps;
    const isClosed = () => this.#closing.signal.aborted;
    const Exchange = class extends deps.base {
      override client(url: string) {
        requests.check("WS", url);
        const client = super.client(url);
        watchSends(client);
        return client;
      }

      // A message that is not JSON reaches this method as a text, and ccxt ignores it.
      override handleMessage(
        client: Parameters<CcxtExchange["handleMessage"]>[0],
        message: unknown,
      ) {
        if (isClosed()) return;
        if (typeof message !== "string" || HEARTBEAT.test(message))
          return super.handleMessage(client, message);
        onMessage({
          type: "down",
          reason: `cannot be read: a message is ${formatErrorValue(message)}, expected JSON`,
        });
      }
    };
    this.#exchange = new Exchange({
      // Requests keep to the exchange's limits. A failed one is not repeated here: the whole
      // session is, after a pause.
      enableRateLimit: true,
      maxRetriesOnFailure: 0,
      timeout: REQUEST_MS,
      newUpdates: true,
      options: { ...options, tradesLimit: 20, watchOrderBookLimit: SNAPSHOT_LEVELS },
      fetchImplementation: (url: string, init: RequestInit) => this.#fetch(url, init),
    });
    this.#exchange.log = () => {};
    // Currencies need a key at some exchanges, and no price depends on them.
    this.#exchange.has.fetchCurrencies = false;
    this.#exchange.urls.api = mapTexts(this.#exchange.urls.api, (url) => requests.reroute(url));
  }

  /**
   * Loads the market, unless an earlier session has.
   * @throws RunError if the exchange has no such market; an error of ccxt
   */
  async loadMarket(): Promise<unknown> {
    const { market, symbol } = this.#deps;
    const exchange = this.#exchange;
    await exchange.loadHttpProxyAgent();
    if (market === undefined) await exchange.loadMarkets();
    const loaded = market ?? exchange.markets?.[symbol];
    if (loaded === undefined) {
      const near = findNearestName(symbol, Object.keys(exchange.markets ?? {}));
      throw new RunError(
        `the exchange has no market ${symbol}${near === undefined ? "" : `, did you mean ${near}?`}`,
      );
    }
    // The others would fill memory, and an id that two markets share would be ambiguous.
    exchange.setMarkets([loaded]);
    return loaded;
  }

  /** Watches the stream until it fails. @throws the error of ccxt that ended it */
  async watch(): Promise<never> {
    const { onMessage } = this.#deps;
    for (;;) {
      const value = await this.#next();
      this.#closing.signal.throwIfAborted();
      onMessage(readPrice(value));
    }
  }

  /** Ends all connections, requests and timers at once. */
  close(): void {
    if (this.#closing.signal.aborted) return;
    const closed = new Error("closed");
    this.#closing.abort(closed);
    this.#agent.destroy(null, () => undefined);
    for (const client of Object.values(this.#exchange.clients ?? {})) {
      client.reset(closed);
      client.connection?.terminate?.();
    }
  }

  /**
   * The newest value after a change. Several messages may have arrived since the first one that
   * ended the wait, so the value is that of ccxt's cache.
   */
  async #next(): Promise<unknown> {
    const exchange = this.#exchange;
    const { symbol, stream } = this.#deps;
    switch (stream) {
      case "touch": {
        await exchange.watchBidsAsks([symbol]);
        const touch = exchange.bidsasks?.[symbol] ?? exchange.tickers[symbol];
        return { bid: touch?.bid, ask: touch?.ask, timeMs: touch?.timestamp };
      }
      case "book": {
        const { bids, asks, timestamp } = await exchange.watchOrderBook(symbol);
        return { bid: bids[0]?.[0], ask: asks[0]?.[0], timeMs: timestamp };
      }
      case "trades": {
        await exchange.watchTrades(symbol);
        const trade = exchange.trades[symbol]?.at(-1);
        return { bid: trade?.price, ask: trade?.price, timeMs: trade?.timestamp };
      }
    }
  }

  async #fetch(
    url: string,
    { method = "GET", headers, body, signal }: RequestInit,
  ): Promise<Response> {
    const { requests } = this.#deps;
    requests.check(method, url, Object.keys(headers ?? {}));
    const signals = [this.#closing.signal, ...(signal == null ? [] : [signal])];
    return fetch(url, {
      method,
      ...(headers === undefined ? {} : { headers }),
      ...(body == null ? {} : { body }),
      signal: AbortSignal.any(signals),
      redirect: "error",
      dispatcher: this.#agent,
    });
  }
}
