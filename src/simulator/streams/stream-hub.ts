import type { Hex, MarketId } from "../../core/units.js";
import type { ExchangeAccount, Income, Order, UserTrade } from "../accounts/account.js";
import type { ExchangeListener, ExchangeState } from "../engine/exchange-state.js";
import type { Market, Trade } from "../markets/market.js";
import { ApiError, type ApiResponse, formatErrorBody, toErrorResponse } from "../rest/api-error.js";
import type { Authentication, SignedAccount } from "../rest/authentication.js";
import type { AccountEndpoints } from "../rest/endpoints/account-endpoints.js";
import { AccountFeed } from "./account-feed.js";
import { MarketFeed } from "./market-feed.js";
import { type MarketStream, readMarketStream, readStreamAddress } from "./stream-address.js";
import { StreamLink, type StreamLinkListener, type StreamLinkOptions } from "./stream-link.js";
import { readStreamRequest, type StreamRequest, StreamRequestError } from "./stream-request.js";
import type { StreamConnection, StreamRefusal, StreamSink } from "./stream-sink.js";
import { TextCompressor } from "./text-compressor.js";

const GOING_AWAY = 1001;
const POLICY = 1008;

/** Every open stream, and the events for each. */
export class StreamHub implements StreamLinkListener, ExchangeListener {
  readonly #state: ExchangeState;
  readonly #authentication: Authentication;
  readonly #links = new Set<StreamLink>();
  /** Open connections by address. */
  readonly #connectionsOf = new Map<string, number>();
  readonly #zip = new TextCompressor();
  readonly #feeds = new Map<MarketId, MarketFeed>();
  readonly #accounts: AccountFeed;
  /** The keys that opened the account streams. */
  readonly #signers = new Map<StreamLink, SignedAccount>();

  constructor(state: ExchangeState, authentication: Authentication, records: AccountEndpoints) {
    this.#state = state;
    this.#authentication = authentication;
    this.#accounts = new AccountFeed(state, records);
    for (const market of state.markets.values()) {
      this.#feeds.set(market.id, new MarketFeed(state, market));
    }
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#links.size;
  }

  /**
   * Opens a stream, or returns the HTTP response that refuses it.
   * @param ip the reader's address, whose connections are limited.
   */
  connect(pathWithQuery: string, sink: StreamSink, ip: string): StreamConnection | StreamRefusal {
    const { maxConnectionsPerIp } = this.#state.config.streams;
    if ((this.#connectionsOf.get(ip) ?? 0) >= maxConnectionsPerIp) {
      return { refused: tooManyConnections(maxConnectionsPerIp) };
    }
    try {
      return this.#open(pathWithQuery, sink, ip);
    } catch (error) {
      if (error instanceof ApiError) {
        return { refused: toErrorResponse(error, this.#state.config.choices) };
      }
      throw error;
    }
  }

  #open(pathWithQuery: string, sink: StreamSink, ip: string): StreamLink {
    const address = readStreamAddress(pathWithQuery);
    const zip = address.zips ? this.#zip : null;
    if (address.kind === "account") {
      const signed = this.#signedAccountOf(address.address, address.parameters);
      const marketId = address.parameters.get("marketId") || undefined;
      if (marketId !== undefined && !this.#feeds.has(marketId)) {
        throw new ApiError(1112, "unknown market");
      }
      const link = this.#newLink(sink, { wrapsEvents: false, zip, ip });
      this.#signers.set(link, signed);
      this.#accounts.subscribe(signed.account, link, marketId);
      return link;
    }
    const { known, refusals } = this.#sorted(address.streams);
    const [refusal] = refusals;
    if (known.length === 0 && refusal !== undefined) {
      throw refusal;
    }
    const link = this.#newLink(sink, { wrapsEvents: address.wraps, zip, ip });
    for (const error of refusals) {
      this.#sendError(link, "0", error);
    }
    for (const stream of known) {
      this.#subscribe(link, stream);
    }
    return link;
  }

  #newLink(sink: StreamSink, options: StreamLinkOptions): StreamLink {
    const { runtime, config } = this.#state;
    const link = new StreamLink(runtime, config.streams, sink, options, this);
    this.#links.add(link);
    this.#connectionsOf.set(options.ip, (this.#connectionsOf.get(options.ip) ?? 0) + 1);
    return link;
  }

  /**
   * The signed string holds only the address as it was spelled, and the time
   * (docs/reference/protocol.md#account-stream).
   */
  #signedAccountOf(address: string, parameters: ReadonlyMap<string, string>): SignedAccount {
    const signed = new Map([["account", address]]);
    for (const key of ["timestamp", "signature"]) {
      const value = parameters.get(key);
      if (value !== undefined) {
        signed.set(key, value);
      }
    }
    return this.#authentication.requireSignedAccount(signed);
  }

  onMessage(link: StreamLink, text: string): void {
    let id = "0";
    try {
      const request = readStreamRequest(text);
      id = request.id;
      if (!link.options.wrapsEvents) {
        throw new ApiError(1111, "streams can be changed only on /multiple");
      }
      this.#change(link, request);
    } catch (error) {
      if (!(error instanceof ApiError)) {
        throw error;
      }
      this.#sendError(link, error instanceof StreamRequestError ? error.id : id, error);
    }
  }

  #sendError(link: StreamLink, id: string, error: ApiError): void {
    const { body } = toErrorResponse(error, this.#state.config.choices);
    link.send(`{"id":${id},${body.slice(1)}`);
  }

  /**
   * Carries out the valid part of a request and acknowledges it; each invalid name gets an error of
   * its own.
   */
  #change(link: StreamLink, { id, method, params }: StreamRequest): void {
    const { known, refusals } = this.#sorted(params);
    const added = method === "SUBSCRIBE" ? known.filter(({ name }) => !link.streams.has(name)) : [];
    this.#requireRoom(link.streams.size + added.length);
    if (method === "UNSUBSCRIBE") {
      for (const { name } of known) {
        this.#unsubscribe(link, name);
      }
    }
    if (known.length > 0) {
      link.send(`{"id":${id},"result":null}`);
    }
    for (const refusal of refusals) {
      this.#sendError(link, id, refusal);
    }
    for (const stream of added) {
      this.#subscribe(link, stream);
    }
  }

  onClosed(link: StreamLink): void {
    this.#links.delete(link);
    const { ip } = link.options;
    const left = (this.#connectionsOf.get(ip) ?? 0) - 1;
    if (left > 0) {
      this.#connectionsOf.set(ip, left);
    } else {
      this.#connectionsOf.delete(ip);
    }
    this.#accounts.unsubscribe(link);
    this.#signers.delete(link);
    for (const name of [...link.streams]) {
      this.#unsubscribe(link, name);
    }
  }

  /**
   * Splits a list of names into streams, each once, and errors of the invalid ones.
   * @throws ApiError 1111 for more streams than a connection may have; for an invalid name if the
   * venue refuses the whole list
   */
  #sorted(names: readonly string[]): {
    readonly known: readonly MarketStream[];
    readonly refusals: readonly ApiError[];
  } {
    const unique = new Set(names);
    this.#requireRoom(unique.size);
    const known = new Map<string, MarketStream>();
    const refusals: ApiError[] = [];
    for (const name of unique) {
      try {
        const stream = this.#knownStream(name);
        known.set(stream.name, stream);
      } catch (error) {
        if (
          !(error instanceof ApiError) ||
          this.#state.config.choices.unknownStreams === "refuse-list"
        ) {
          throw error;
        }
        refusals.push(error);
      }
    }
    return { known: [...known.values()], refusals };
  }

  /** @throws ApiError 1111 for an invalid name, 1112 for an unknown market */
  #knownStream(name: string): MarketStream {
    const stream = readMarketStream(name);
    if (!this.#feeds.has(stream.marketId)) {
      throw new ApiError(1112, `unknown stream ${name}: unknown market ${stream.marketId}`);
    }
    return stream;
  }

  #requireRoom(total: number): void {
    const { maxStreams } = this.#state.config.streams;
    if (total > maxStreams) {
      throw new ApiError(1111, `more than ${maxStreams} streams on one connection`);
    }
  }

  #subscribe(link: StreamLink, stream: MarketStream): void {
    link.streams.add(stream.name);
    this.#feeds.get(stream.marketId)?.subscribe(stream, link);
  }

  #unsubscribe(link: StreamLink, name: string): void {
    if (link.streams.delete(name)) {
      const stream = readMarketStream(name);
      this.#feeds.get(stream.marketId)?.unsubscribe(stream, link);
    }
  }

  onOrder(order: Order): void {
    this.#accounts.onOrder(order);
  }

  onUserTrade(trade: UserTrade): void {
    this.#accounts.onUserTrade(trade);
  }

  onAccount(account: ExchangeAccount): void {
    this.#accounts.onAccount(account);
  }

  onIncomes(account: ExchangeAccount, incomes: readonly Income[]): void {
    this.#accounts.onIncomes(account, incomes);
  }

  /** Ends the account streams that the operator opened. */
  onOperatorRevoked(account: ExchangeAccount, operator: Hex): void {
    for (const [link, signed] of [...this.#signers]) {
      if (signed.account === account && signed.signer === operator) {
        link.end(POLICY, "the operator was revoked");
      }
    }
  }

  onTrade(trade: Trade): void {
    this.#feeds.get(trade.market.id)?.publishTrade(trade);
  }

  onBook(market: Market): void {
    this.#feeds.get(market.id)?.onBook();
  }

  /** Sends the changes that are collected until the end of an event. */
  flush(): void {
    const { bookIntervalMs, klineIntervalMs } = this.#state.config.streams;
    if (bookIntervalMs === 0 || klineIntervalMs === 0) {
      for (const feed of this.#feeds.values()) {
        feed.flush();
      }
    }
    this.#accounts.publishAccounts();
  }

  /** Called once a second. */
  onSample(): void {
    for (const feed of this.#feeds.values()) {
      feed.onSample();
    }
  }

  /** Sends every market's state. */
  publishMarkets(): void {
    for (const feed of this.#feeds.values()) {
      feed.publishMarket();
    }
  }

  /** Ends every connection. */
  stop(reason: string): void {
    for (const link of [...this.#links]) {
      link.end(GOING_AWAY, reason);
    }
    for (const feed of this.#feeds.values()) {
      feed.stop();
    }
  }
}

/** The response to an address with the maximum number of open connections. */
function tooManyConnections(limit: number): ApiResponse {
  return {
    status: 429,
    body: formatErrorBody(
      429,
      "Too many requests",
      `more than ${limit} connections from one address`,
    ),
  };
}
