import { RunError } from "../core/errors.js";
import { decimalToScaled } from "../core/instrument.js";
import type { Runtime } from "../core/runtime/runtime.js";
import type { Hex, Lots, MarketId, Side, Ticks } from "../core/units.js";
import type { ExchangeAccount, Order } from "./accounts/account.js";
import type { ExchangeConfig } from "./config/config.js";
import { checkAmounts } from "./config/config-amounts.js";
import { checkPerps } from "./config/config-perps.js";
import type { Dialect, DialectDeps } from "./dialects/dialect.js";
import { type Audit, audit } from "./engine/audit.js";
import { ExchangeComponents } from "./engine/exchange-components.js";
import type { ExchangeOptions } from "./engine/exchange-options.js";
import type { Market, MarketStatus } from "./markets/market.js";
import { changedRules, type RuleChange } from "./markets/rule-change.js";
import { type ApiResponse, formatErrorBody } from "./rest/api-error.js";
import type { ApiRequest } from "./rest/parameters.js";
import type { ChainConnector } from "./settlement/chain-connector.js";
import { requireAsDeployed } from "./settlement/on-chain-config.js";
import type { StreamConnection, StreamRefusal, StreamSink } from "./streams/stream-sink.js";

export type { ExchangeOptions } from "./engine/exchange-options.js";

/** The published book. */
export interface PublishedBook {
  readonly sequence: number;
  /** Best first. */
  readonly bids: readonly (readonly [ticks: Ticks, lots: Lots])[];
  readonly asks: readonly (readonly [ticks: Ticks, lots: Lots])[];
}

/**
 * The embedded exchange: matching, margin, settlement and streams in one object, without a network.
 * Everything is synchronous, one event at a time. All time, timers and randomness come from the
 * runtime.
 */
export class EmbeddedExchange {
  readonly config: ExchangeConfig;
  readonly #parts: ExchangeComponents;
  #isRunning = false;
  #hasRun: boolean;

  /**
   * @throws ConfigError when amounts are finer than credit, when a market's values are off its
   * number grid or contradict each other, or when the records belong to another exchange;
   * FormatError and RunError when the records are damaged or cannot be written
   */
  constructor(config: ExchangeConfig, runtime: Runtime, options: ExchangeOptions = {}) {
    checkAmounts(config);
    checkPerps(config);
    this.config = config;
    this.#parts = new ExchangeComponents(config, runtime, options, () => this.stop());
    this.#hasRun = this.#parts.durableState?.isContinued ?? false;
  }

  /** null where trades settle in memory. */
  get chain(): ChainConnector | null {
    return this.#parts.chain;
  }

  /**
   * Lets the exchange speak another wire language too, over the same accounts and books. Call it
   * before the start.
   */
  addDialect<Kind extends Dialect>(create: (deps: DialectDeps) => Kind): Kind {
    return this.#parts.addDialect(create);
  }

  /**
   * Starts the order flows, funding, settlement and the clocks of the streams.
   * @throws RunError when an earlier write of its state failed
   */
  start(): void {
    if (this.#isRunning) {
      return;
    }
    this.#parts.durableState?.requireIntact();
    const isRestart = this.#hasRun;
    this.#isRunning = true;
    this.#hasRun = true;
    this.#parts.start(isRestart);
  }

  /**
   * Stops everything and closes every stream. Accounts, orders and pending settlements are kept for
   * the next start.
   */
  stop(): void {
    if (!this.#isRunning) {
      return;
    }
    this.#isRunning = false;
    this.#parts.stop();
  }

  /** True after a start and before a stop. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * Answers a REST request as a server does. The response to a registration or a deposit is sent
   * when its credit counts, so that the client can place orders on it. It waits at most
   * `creditWaitMs`, not at all if the next block comes later, and not beyond the exchange's stop.
   * Every other response is immediate.
   */
  respond(request: ApiRequest): ApiResponse | Promise<ApiResponse> {
    const answer = this.handle(request);
    const { pendingCredit } = answer;
    const waiting =
      pendingCredit === undefined ? null : this.#parts.depositWaiter.waitFor(pendingCredit);
    return pendingCredit === undefined || waiting === null
      ? answer
      : waiting.then(() => ({ ...answer, body: pendingCredit.body() }));
  }

  /** Answers a REST request at once. */
  handle(request: ApiRequest): ApiResponse {
    if (!this.#isRunning) {
      return {
        status: 503,
        body: formatErrorBody(2010, "Internal error", "the exchange is not running"),
      };
    }
    return this.#parts.turnScope.run(() => this.#parts.router.handle(request));
  }

  /**
   * Opens a stream. The sink may be used before this returns: a book's snapshot is sent at once.
   * @param pathWithQuery from the version prefix on: `/v1/multiple?streams=...`.
   * @param ip the reader's address; a rate ban of it refuses the stream too.
   */
  connect(pathWithQuery: string, sink: StreamSink, ip = ""): StreamConnection | StreamRefusal {
    if (!this.#isRunning) {
      return {
        refused: {
          status: 503,
          body: formatErrorBody(2010, "Internal error", "the exchange is not running"),
        },
      };
    }
    const refused = this.#parts.router.checkStreamBan(ip);
    return refused === null
      ? this.#parts.hub.connect(
          pathWithQuery,
          this.#parts.durableState?.deferSends(sink) ?? sink,
          ip,
        )
      : { refused };
  }

  /**
   * Opens an account without a request, with the venue's initial credit. An existing account is
   * unchanged.
   */
  register(address: Hex): void {
    if (this.#parts.state.account(address) === undefined) {
      this.#parts.turnScope.run(() => this.#parts.router.accounts.open(address));
    }
  }

  /**
   * Deposits credit, as the faucet does.
   * @param amountQuote a decimal string.
   * @throws RunError for an unknown account
   */
  deposit(address: Hex, amountQuote: string): void {
    const account = this.#requireAccount(address);
    this.#parts.turnScope.run(() =>
      this.#parts.clearing.credit.deposit(
        account,
        decimalToScaled(amountQuote, this.config.creditDecimals, "amount"),
      ),
    );
  }

  /**
   * Changes the status of a market. Resting orders stay and can be cancelled.
   * @throws RunError for an unknown market
   */
  setMarketStatus(marketId: MarketId, status: MarketStatus): void {
    const market = this.#requireMarket(marketId);
    this.#parts.turnScope.run(() => {
      market.status = status;
      market.statusChangedMs = this.#parts.state.nowMs();
      this.#parts.state.listener.onMarket(market);
    });
  }

  /**
   * Changes a market's rules for new orders; `exchangeInfo` reports them at once. Resting orders
   * keep their terms. Accounts below the new maintenance margin may only reduce. An exchange with a
   * `dataDir` keeps the new rules until its file changes.
   * @throws RunError for an unknown market; ConfigError for invalid rules, for a grid that the book
   * is not on, and for rules that the contracts of a chain decide
   */
  setMarketRules(marketId: MarketId, change: RuleChange): void {
    const market = this.#requireMarket(marketId);
    const rules = changedRules(market, this.config, change);
    if (this.chain !== null) requireAsDeployed(market, rules);
    this.#parts.turnScope.run(() => this.#parts.changeRules(market, rules));
  }

  /**
   * An account's orders with an open or unsettled part, oldest first; empty for an unknown account.
   */
  openOrders(address: Hex): readonly Order[] {
    return [...(this.#parts.state.account(address)?.activeOrders.values() ?? [])];
  }

  /** An account, for reading; undefined when it is not registered. */
  account(address: Hex): ExchangeAccount | undefined {
    return this.#parts.state.account(address);
  }

  /**
   * Whole lots of an account's position as matched, signed; 0 for an unknown account.
   * @throws RunError for an unknown market
   */
  positionLots(address: Hex, marketId: MarketId): Lots {
    const paper =
      this.#parts.state.account(address)?.markets.get(marketId)?.position.matched.paper ?? 0n;
    return this.#requireMarket(marketId).toWholeLots(paper);
  }

  /**
   * A market, for reading.
   * @throws RunError for an unknown market
   */
  market(marketId: MarketId): Market {
    return this.#requireMarket(marketId);
  }

  /**
   * The account of a market's house agents and recorded liquidity, for reading.
   * @throws RunError for an unknown market
   */
  house(marketId: MarketId): ExchangeAccount {
    return this.#parts.state.accountsFor(this.#requireMarket(marketId)).house;
  }

  /**
   * The account records that REST would return, for comparisons.
   * @throws RunError for an unknown account
   */
  balances(address: Hex) {
    return this.#parts.router.accounts.balancesAnswer(this.#requireAccount(address));
  }

  /**
   * The book at full depth with its sequence.
   * @throws RunError for an unknown market
   */
  book(marketId: MarketId): PublishedBook {
    const { engine, depth } = this.#requireMarket(marketId);
    const levels = (side: Side) => {
      const found: (readonly [Ticks, Lots])[] = [];
      engine.forEachLevel(side, (ticks, lots) => found.push([ticks, lots]) > 0);
      return found;
    };
    return { sequence: depth.sequence, bids: levels("BUY"), asks: levels("SELL") };
  }

  /** A balance of all credit, to the unit. */
  audit(): Audit {
    return audit(this.#parts.state);
  }

  /** The number of matches that wait for settlement. */
  get unsettledTrades(): number {
    return this.#parts.clearing.unsettled;
  }

  /** The number of open stream connections. */
  get connections(): number {
    return this.#parts.hub.connections;
  }

  #requireMarket(marketId: MarketId): Market {
    const market = this.#parts.state.markets.get(marketId);
    if (market === undefined) {
      throw new RunError("is not a market of this exchange", {
        field: "marketId",
        value: marketId,
        expected: [...this.#parts.state.markets.keys()].join(" or "),
      });
    }
    return market;
  }

  #requireAccount(address: Hex): ExchangeAccount {
    const account = this.#parts.state.account(address);
    if (account === undefined) {
      throw new RunError("is not a registered account", {
        field: "address",
        value: address,
        expected: "a registered address",
      });
    }
    return account;
  }
}
