import type { MarketId } from "../../core/units.js";
import type { Account } from "../accounts/account.js";
import type { Order } from "../accounts/order.js";
import type { Income, Trade, UserTrade } from "../accounts/records.js";
import type { Market } from "../markets/market.js";
import type { AccountEndpoints } from "../rest/account-endpoints.js";
import { ApiError, errorAnswer } from "../rest/api-error.js";
import type { Authentication } from "../rest/authentication.js";
import type { ExchangeListener, ExchangeState } from "../state.js";
import { AccountFeed } from "./account-feed.js";
import { MarketFeed } from "./market-feed.js";
import { readStreamAddress, readStreamName } from "./stream-address.js";
import { type LinkOwner, StreamLink } from "./stream-link.js";
import { readStreamRequest } from "./stream-request.js";
import type { StreamConnection, StreamRefusal, StreamSink } from "./stream-sink.js";

const GOING_AWAY = 1001;

/** Every open stream, and what is told to each. */
export class StreamHub implements LinkOwner, ExchangeListener {
  readonly #state: ExchangeState;
  readonly #authentication: Authentication;
  readonly #links = new Set<StreamLink>();
  readonly #feeds = new Map<MarketId, MarketFeed>();
  readonly #accounts: AccountFeed;

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

  /** Opens a stream, or says with which HTTP answer it is refused. */
  connect(pathWithQuery: string, sink: StreamSink): StreamConnection | StreamRefusal {
    try {
      return this.#open(pathWithQuery, sink);
    } catch (error) {
      if (error instanceof ApiError) {
        return { refused: errorAnswer(error, this.#state.config.choices) };
      }
      throw error;
    }
  }

  #open(pathWithQuery: string, sink: StreamSink): StreamLink {
    const address = readStreamAddress(pathWithQuery);
    const { seam, config } = this.#state;
    if (address.kind === "account") {
      const account = this.#accountOf(address.address, address.parameters);
      const marketId = address.parameters.get("marketId") || undefined;
      if (marketId !== undefined && !this.#feeds.has(marketId)) {
        throw new ApiError(1112, "there is no such market");
      }
      const link = new StreamLink(seam, config.streams, sink, false, this);
      this.#links.add(link);
      this.#accounts.subscribe(account, link, marketId);
      return link;
    }
    this.#checkStreams(address.streams, address.streams.length);
    const link = new StreamLink(seam, config.streams, sink, address.wraps, this);
    this.#links.add(link);
    for (const name of address.streams) {
      this.#subscribe(link, name);
    }
    return link;
  }

  /** The signed string holds the address as it was spelled, and the time, and nothing else (protocol 4.4). */
  #accountOf(address: string, parameters: ReadonlyMap<string, string>): Account {
    const signed = new Map([["account", address]]);
    for (const key of ["timestamp", "signature"]) {
      const value = parameters.get(key);
      if (value !== undefined) {
        signed.set(key, value);
      }
    }
    return this.#authentication.accountOf(signed);
  }

  onMessage(link: StreamLink, text: string): void {
    const request = readStreamRequest(text);
    if (request === null) {
      link.send('{"id":0,"code":1111,"codeText":"Bad params","message":"not a stream request"}');
      return;
    }
    try {
      if (!link.wraps) {
        throw new ApiError(1111, "streams are changed on /multiple only");
      }
      if (request.method === "SUBSCRIBE") {
        const added = new Set(request.params.filter((name) => !link.streams.has(name)));
        this.#checkStreams([...added], link.streams.size + added.size);
        link.send(`{"id":${request.id},"result":null}`);
        for (const name of added) {
          this.#subscribe(link, name);
        }
      } else {
        for (const name of request.params) {
          this.#unsubscribe(link, name);
        }
        link.send(`{"id":${request.id},"result":null}`);
      }
    } catch (error) {
      if (!(error instanceof ApiError)) {
        throw error;
      }
      link.send(`{"id":${request.id},${errorAnswer(error, this.#state.config.choices).body.slice(1)}`);
    }
  }

  onGone(link: StreamLink): void {
    this.#links.delete(link);
    this.#accounts.unsubscribe(link);
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
    const { marketId, kind } = readStreamName(name);
    link.streams.add(name);
    this.#feeds.get(marketId)?.subscribe(kind, link);
  }

  #unsubscribe(link: StreamLink, name: string): void {
    if (link.streams.delete(name)) {
      const { marketId, kind } = readStreamName(name);
      this.#feeds.get(marketId)?.unsubscribe(kind, link);
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

  onTrade(trade: Trade): void {
    this.#feeds.get(trade.market.id)?.publishTrade(trade);
  }

  onBook(market: Market): void {
    this.#feeds.get(market.id)?.onBook();
  }

  /** Sends what is gathered until the end of an event. */
  endOfEvent(): void {
    if (this.#state.config.streams.bookIntervalMs === 0) {
      for (const feed of this.#feeds.values()) {
        feed.publishBook();
      }
    }
    this.#accounts.publishAccounts();
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
