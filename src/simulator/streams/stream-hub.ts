import type { Hex, MarketId } from "../../core/units.js";
import type { Account } from "../accounts/account.js";
import type { Order } from "../accounts/order.js";
import type { Income, Trade, UserTrade } from "../accounts/records.js";
import type { Market } from "../markets/market.js";
import type { AccountEndpoints } from "../rest/account-endpoints.js";
import { type ApiAnswer, ApiError, errorAnswer, errorBody } from "../rest/api-error.js";
import type { Authentication, SignedAccount } from "../rest/authentication.js";
import type { ExchangeListener, ExchangeState } from "../state.js";
import { AccountFeed } from "./account-feed.js";
import { MarketFeed } from "./market-feed.js";
import { readStreamAddress, readStreamName } from "./stream-address.js";
import { type LinkOptions, type LinkOwner, StreamLink } from "./stream-link.js";
import { readStreamRequest, type StreamRequest, StreamRequestError } from "./stream-request.js";
import type { StreamConnection, StreamRefusal, StreamSink } from "./stream-sink.js";
import { ZippedText } from "./zipped-text.js";

const GOING_AWAY = 1001;
const POLICY = 1008;

/** Every open stream, and what is told to each. */
export class StreamHub implements LinkOwner, ExchangeListener {
  readonly #state: ExchangeState;
  readonly #authentication: Authentication;
  readonly #links = new Set<StreamLink>();
  /** Open connections by address. */
  readonly #connectionsOf = new Map<string, number>();
  readonly #zip = new ZippedText();
  readonly #feeds = new Map<MarketId, MarketFeed>();
  readonly #accounts: AccountFeed;
  /** Of the account streams: whose key opened them. */
  readonly #signers = new Map<StreamLink, SignedAccount>();

  constructor(state: ExchangeState, authentication: Authentication, records: AccountEndpoints) {
    this.#state = state;
    this.#authentication = authentication;
    this.#accounts = new AccountFeed(state, records);
    for (const market of state.markets.values()) {
      this.#feeds.set(market.id, new MarketFeed(state, market));
    }
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#links.size;
  }

  /** Opens a stream, or says with which HTTP answer it is refused. @param ip of the reader, whose connections are limited. */
  connect(pathWithQuery: string, sink: StreamSink, ip: string): StreamConnection | StreamRefusal {
    const { maxConnectionsPerIp } = this.#state.config.streams;
    if ((this.#connectionsOf.get(ip) ?? 0) >= maxConnectionsPerIp) {
      return { refused: tooManyConnections(maxConnectionsPerIp) };
    }
    try {
      return this.#open(pathWithQuery, sink, ip);
    } catch (error) {
      if (error instanceof ApiError) {
        return { refused: errorAnswer(error, this.#state.config.choices) };
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
        throw new ApiError(1112, "there is no such market");
      }
      const link = this.#newLink(sink, { wraps: false, zip, ip });
      this.#signers.set(link, signed);
      this.#accounts.subscribe(signed.account, link, marketId);
      return link;
    }
    this.#checkStreams(address.streams, address.streams.length);
    const link = this.#newLink(sink, { wraps: address.wraps, zip, ip });
    for (const name of address.streams) {
      this.#subscribe(link, name);
    }
    return link;
  }

  #newLink(sink: StreamSink, options: LinkOptions): StreamLink {
    const { seam, config } = this.#state;
    const link = new StreamLink(seam, config.streams, sink, options, this);
    this.#links.add(link);
    this.#connectionsOf.set(options.ip, (this.#connectionsOf.get(options.ip) ?? 0) + 1);
    return link;
  }

  /** The signed string holds the address as it was spelled, and the time, and nothing else (protocol 4.4). */
  #signedAccountOf(address: string, parameters: ReadonlyMap<string, string>): SignedAccount {
    const signed = new Map([["account", address]]);
    for (const key of ["timestamp", "signature"]) {
      const value = parameters.get(key);
      if (value !== undefined) {
        signed.set(key, value);
      }
    }
    return this.#authentication.signedAccountOf(signed);
  }

  onMessage(link: StreamLink, text: string): void {
    let id = "0";
    try {
      const request = readStreamRequest(text);
      id = request.id;
      if (!link.options.wraps) {
        throw new ApiError(1111, "streams are changed on /multiple only");
      }
      this.#change(link, request);
    } catch (error) {
      if (!(error instanceof ApiError)) {
        throw error;
      }
      const { body } = errorAnswer(error, this.#state.config.choices);
      link.send(`{"id":${error instanceof StreamRequestError ? error.id : id},${body.slice(1)}`);
    }
  }

  /** A request is carried out whole or, where a name is wrong, not at all. */
  #change(link: StreamLink, { id, method, params }: StreamRequest): void {
    const names = new Set(params);
    if (method === "SUBSCRIBE") {
      const added = [...names].filter((name) => !link.streams.has(name));
      this.#checkStreams(added, link.streams.size + added.length);
      link.send(`{"id":${id},"result":null}`);
      for (const name of added) {
        this.#subscribe(link, name);
      }
    } else {
      this.#checkStreams([...names], 0);
      for (const name of names) {
        this.#unsubscribe(link, name);
      }
      link.send(`{"id":${id},"result":null}`);
    }
  }

  onGone(link: StreamLink): void {
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

  #checkStreams(names: readonly string[], total: number): void {
    if (total > this.#state.config.streams.maxStreams) {
      throw new ApiError(1111, `more than ${this.#state.config.streams.maxStreams} streams on one connection`);
    }
    for (const name of names) {
      if (!this.#feeds.has(readStreamName(name).marketId)) {
        throw new ApiError(1112, "there is no such market");
      }
    }
  }

  #subscribe(link: StreamLink, name: string): void {
    const stream = readStreamName(name);
    link.streams.add(name);
    this.#feeds.get(stream.marketId)?.subscribe(name, stream, link);
  }

  #unsubscribe(link: StreamLink, name: string): void {
    if (link.streams.delete(name)) {
      const stream = readStreamName(name);
      this.#feeds.get(stream.marketId)?.unsubscribe(name, stream, link);
    }
  }

  onOrder(order: Order): void {
    this.#accounts.onOrder(order);
  }

  onUserTrade(trade: UserTrade): void {
    this.#accounts.onUserTrade(trade);
  }

  onAccount(account: Account): void {
    this.#accounts.onAccount(account);
  }

  onIncomes(account: Account, incomes: readonly Income[]): void {
    this.#accounts.onIncomes(account, incomes);
  }

  /** Ends the account streams that the operator opened. */
  onOperatorRevoked(account: Account, operator: Hex): void {
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

  /** Sends what is gathered until the end of an event. */
  endOfEvent(): void {
    const { bookIntervalMs, klineIntervalMs } = this.#state.config.streams;
    if (bookIntervalMs === 0 || klineIntervalMs === 0) {
      for (const feed of this.#feeds.values()) {
        feed.endOfEvent();
      }
    }
    this.#accounts.publishAccounts();
  }

  /** Time has passed. */
  onReading(): void {
    for (const feed of this.#feeds.values()) {
      feed.onReading();
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

/** The answer to an address that has as many connections open as it may. */
function tooManyConnections(limit: number): ApiAnswer {
  return { status: 429, body: errorBody(429, "Too many requests", `more than ${limit} connections from one address`) };
}
