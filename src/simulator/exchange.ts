import { RunError } from "../core/errors.js";
import { decimalToScaled } from "../core/instrument.js";
import type { Seam } from "../core/seam.js";
import { ecdsaScheme, type SignatureScheme } from "../core/signing.js";
import type { CreditUnits, Hex, Lots, MarketId, Side, Ticks } from "../core/units.js";
import { AccountFlowPort } from "./account-flow-port.js";
import { Account } from "./accounts/account.js";
import { Clearing } from "./accounts/clearing.js";
import { CreditMoves } from "./accounts/credit-moves.js";
import { DelayedSettlement } from "./accounts/delayed-settlement.js";
import type { Order } from "./accounts/order.js";
import { Withdrawals } from "./accounts/withdrawals.js";
import { type Audit, audit } from "./audit.js";
import type { OpenChain } from "./chain/open-chain.js";
import type { ExchangeConfig } from "./config.js";
import { checkAmounts } from "./config-amounts.js";
import { checkPerps } from "./config-perps.js";
import type { AccountFlow } from "./flow-accounts.js";
import type { OrderFlow } from "./flow-market.js";
import { MarketClock } from "./market-clock.js";
import { MarketFlowPort } from "./market-flow-port.js";
import { Market, type MarketStatus } from "./markets/market.js";
import { marketRules } from "./markets/market-rules.js";
import { OrderDesk } from "./matching/order-desk.js";
import { type ApiAnswer, errorBody } from "./rest/api-error.js";
import type { ApiRequest } from "./rest/parameters.js";
import { Router } from "./rest/router.js";
import type { ChainReport } from "./settlement/chain-report.js";
import { ChainSide } from "./settlement/chain-side.js";
import { ExchangeState } from "./state.js";
import { LastingState } from "./store/lasting-state.js";
import type { RecordStore } from "./store/record-store.js";
import { StreamHub } from "./streams/stream-hub.js";
import type { StreamConnection, StreamRefusal, StreamSink } from "./streams/stream-sink.js";
import { tellBoth } from "./tell-both.js";

/** What an exchange may be given besides its configuration. */
export interface ExchangeOptions {
  /** How signatures are checked; ECDSA unless a simulation stands something cheaper in for it. */
  readonly scheme?: SignatureScheme;
  /**
   * Makes a market's order flow, anew at each start; null for none. `startPriceQuote` is the mark at a restart, so that a
   * flow that chooses its own price goes on from there.
   */
  readonly flowOf?: (marketId: MarketId, restart: { readonly startPriceQuote: number } | null) => OrderFlow | null;
  /** Makes the participants that trade by accounts of their own, anew at each start. */
  readonly accountFlowOf?: (() => AccountFlow) | null;
  /** Where its state outlives the process; it goes on from what is there. Without it everything is in memory only. */
  readonly records?: RecordStore;
  /** The chain that it settles on, with the addresses that its configuration names. Without it trades are settled in memory. */
  readonly chain?: OpenChain;
  /** Hears what was asked of the chain in vain, and what the chain did of its own. */
  readonly onChainReport?: (report: ChainReport) => void;
  /** Hears once that the chain has failed; the exchange has stopped then. */
  readonly onChainFault?: (error: unknown) => void;
}

/** A book as the exchange has it. */
export interface BookSnapshot {
  readonly sequence: number;
  /** Best first. */
  readonly bids: readonly (readonly [ticks: Ticks, lots: Lots])[];
  readonly asks: readonly (readonly [ticks: Ticks, lots: Lots])[];
}

/**
 * The embedded exchange: matching, margin, settlement and streams in one object, without a network. Everything is
 * synchronous, one event at a time, and all time, timers and randomness come from the seam.
 */
export class EmbeddedExchange {
  readonly config: ExchangeConfig;
  readonly #seam: Seam;
  readonly #options: ExchangeOptions;
  readonly #state: ExchangeState;
  readonly #clearing: Clearing;
  readonly #desk: OrderDesk;
  readonly #withdrawals: Withdrawals;
  readonly #router: Router;
  readonly #hub: StreamHub;
  readonly #clock: MarketClock;
  /** null where trades are settled in memory. */
  readonly chain: ChainSide | null;
  /** null where nothing outlives the process. */
  readonly #lasting: LastingState | null = null;
  #flows: { readonly flow: OrderFlow; readonly port: MarketFlowPort }[] = [];
  #accountFlow: AccountFlow | null = null;
  #depth = 0;
  #isRunning = false;
  #hasRun = false;

  /**
   * @throws ConfigError when amounts are finer than credit, when a market's values are off its own number grid or contradict each
   * other, or when the records are not this exchange's; FormatError and RunError when these are damaged or cannot be written
   */
  constructor(config: ExchangeConfig, seam: Seam, options: ExchangeOptions = {}) {
    checkAmounts(config);
    checkPerps(config);
    this.config = config;
    this.#seam = seam;
    this.#options = options;
    // The streams need the state that reports to them; until they exist nothing happens that they could hear.
    const told = tellBoth(
      () => this.#lasting?.keeper ?? null,
      () => this.#hub,
    );
    const state = new ExchangeState(config, seam, told);
    const turn = (run: () => void) => this.#turn(run);
    const onChanged = (accounts: Iterable<Account>) => this.#desk.enforceMaintenance(accounts);
    this.#state = state;
    this.chain = this.#chainSide(state);
    this.#clearing = new Clearing(
      state,
      (onSettlement) => this.chain?.settlement(onSettlement) ?? new DelayedSettlement(state, turn, onSettlement),
      this.chain?.credit({ onChanged }) ?? new CreditMoves(state, onChanged),
    );
    this.#desk = new OrderDesk(state, this.#clearing, turn);
    this.#withdrawals = new Withdrawals(state, this.#clearing, turn);
    for (const id of Object.keys(config.markets)) {
      state.markets.set(id, this.#newMarket(id));
    }
    this.chain?.attach({
      onChanged,
      onMark: (market) => this.#onMark(market),
      onRevoked: (account, operator) => this.#desk.revoke(account, operator),
    });
    this.#router = new Router(state, {
      desk: this.#desk,
      clearing: this.#clearing,
      withdrawals: this.#withdrawals,
      scheme: options.scheme ?? ecdsaScheme,
    });
    this.#hub = new StreamHub(state, this.#router.authentication, this.#router.accounts);
    this.#clock = new MarketClock({
      state,
      clearing: this.#clearing,
      turn,
      onMark: (market) => this.#desk.enforceMaintenance([...market.holders]),
      onReading: () => this.#hub.onReading(),
      publish: () => this.#hub.publishMarkets(),
    });
    if (options.records !== undefined) {
      this.#lasting = new LastingState(state, this.#clearing, options.records);
      this.#hasRun = this.#lasting.isContinued;
    }
  }

  #chainSide(state: ExchangeState): ChainSide | null {
    const { chain: open, onChainReport: report = () => {}, onChainFault = () => {} } = this.#options;
    if (open === undefined) return null;
    state.lensAddress = open.addresses.lens;
    const onFault = (error: unknown): void => {
      this.stop();
      onChainFault(error);
    };
    // Half of a block must not last: the next process would apply the other half with the first.
    const turn = (run: () => void) =>
      this.#turn(() => {
        try {
          run();
        } catch (error) {
          this.#lasting?.abandon(error);
          throw error;
        }
      });
    return new ChainSide({ state, open, turn, report, onFault });
  }

  #onMark(market: Market): void {
    market.noteMark(this.#state.nowMs());
    this.#state.listener.onMarket(market);
    this.#desk.enforceMaintenance([...market.holders]);
  }

  #newMarket(id: MarketId): Market {
    const { config } = this;
    const houseAddress = this.#options.chain?.keys.house(id).signer.address ?? HOUSE;
    const market = new Market({
      rules: marketRules(id, config),
      house: new Account(houseAddress, this.#seam.clock.nowMs(), config.retention, true),
      selfMatch: config.choices.selfMatch,
      firstSequence: 1,
      keepTrades: config.retention.publicTrades,
      candles: { keep: config.retention.candles, emptyBars: config.choices.emptyBars },
      listener: (made) => this.#desk.listenerOf(made),
    });
    market.statusChangedMs = market.status === "TRADING" ? null : this.#state.nowMs();
    return market;
  }

  /**
   * Starts the order flows, funding, settlement and the clocks of the streams.
   * @throws RunError when its state could not be written before
   */
  start(): void {
    if (this.#isRunning) {
      return;
    }
    this.#lasting?.requireSound();
    const isRestart = this.#hasRun;
    this.#isRunning = true;
    this.#hasRun = true;
    this.#clearing.start();
    this.chain?.start();
    this.#desk.start();
    this.#withdrawals.start();
    for (const market of this.#state.markets.values()) {
      this.#startFlow(market, isRestart);
    }
    this.#startAccountFlow();
    this.#turn(() => this.#clock.start());
  }

  /** Stops everything and closes every stream. Accounts, orders and what waits for settlement are kept for another start. */
  stop(): void {
    if (!this.#isRunning) {
      return;
    }
    this.#isRunning = false;
    this.#hub.stop("the exchange is stopping");
    for (const { flow, port } of this.#flows) {
      flow.stop();
      port.detach();
    }
    this.#flows = [];
    this.#accountFlow?.stop();
    this.#accountFlow = null;
    this.#clearing.stop();
    this.chain?.stop();
    this.#desk.stop();
    this.#withdrawals.stop();
    this.#clock.stop();
  }

  /** Whether it has been started and not stopped. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Answers a REST request. */
  handle(request: ApiRequest): ApiAnswer {
    if (!this.#isRunning) {
      return { status: 503, body: errorBody(2010, "Internal error", "the exchange is not running") };
    }
    return this.#turn(() => this.#router.handle(request));
  }

  /**
   * Opens a stream. The sink may be used before this returns: a book's snapshot is sent at once.
   * @param pathWithQuery from the version prefix on: `/v1/multiple?streams=...`.
   * @param ip whose ban for its rate refuses the stream too.
   */
  connect(pathWithQuery: string, sink: StreamSink, ip = ""): StreamConnection | StreamRefusal {
    if (!this.#isRunning) {
      return { refused: { status: 503, body: errorBody(2010, "Internal error", "the exchange is not running") } };
    }
    const refused = this.#router.refusalOfStream(ip);
    return refused === null ? this.#hub.connect(pathWithQuery, this.#lasting?.over(sink) ?? sink, ip) : { refused };
  }

  /** Opens an account without a request, with the venue's initial credit; an existing one is left as it is. */
  register(address: Hex): void {
    if (this.#state.account(address) === undefined) {
      this.#turn(() => this.#router.accounts.open(address));
    }
  }

  /** Deposits credit, as the faucet does. @param amountQuote a decimal string. @throws RunError for an unknown account */
  deposit(address: Hex, amountQuote: string): void {
    const account = this.#requireAccount(address);
    this.#turn(() => this.#clearing.credit.deposit(account, decimalToScaled(amountQuote, this.config.creditDecimals, "amount")));
  }

  /** Changes whether a market takes orders; resting ones stay and can be cancelled. @throws RunError for an unknown market */
  setMarketStatus(marketId: MarketId, status: MarketStatus): void {
    const market = this.#requireMarket(marketId);
    this.#turn(() => {
      market.status = status;
      market.statusChangedMs = this.#state.nowMs();
      this.#state.listener.onMarket(market);
    });
  }

  /** An account's orders with something open or unsettled, oldest first; none for an unknown account. */
  openOrders(address: Hex): readonly Order[] {
    return [...(this.#state.account(address)?.activeOrders.values() ?? [])];
  }

  /** An account, to look at; undefined when it is not registered. */
  account(address: Hex): Account | undefined {
    return this.#state.account(address);
  }

  /** Whole lots of an account's position as matched, signed; 0 for an unknown account. @throws RunError for an unknown market */
  positionLots(address: Hex, marketId: MarketId): Lots {
    const paper = this.#state.account(address)?.markets.get(marketId)?.position.matched.paper ?? 0n;
    return this.#requireMarket(marketId).wholeLotsOf(paper);
  }

  /** A market, to look at. @throws RunError when there is none of that id */
  market(marketId: MarketId): Market {
    return this.#requireMarket(marketId);
  }

  /** The account records that REST would answer with, for comparisons. @throws RunError for an unknown account */
  balances(address: Hex) {
    return this.#router.accounts.balancesAnswer(this.#requireAccount(address));
  }

  /** The book at full depth with its sequence. @throws RunError for an unknown market */
  book(marketId: MarketId): BookSnapshot {
    const { engine, depth } = this.#requireMarket(marketId);
    const levels = (side: Side) => {
      const found: (readonly [Ticks, Lots])[] = [];
      engine.forEachLevel(side, (ticks, lots) => found.push([ticks, lots]) > 0);
      return found;
    };
    return { sequence: depth.sequence, bids: levels("BUY"), asks: levels("SELL") };
  }

  /** Where all money is, to the unit. */
  audit(): Audit {
    return audit(this.#state);
  }

  /** Matches that wait for settlement. */
  get unsettledTrades(): number {
    return this.#clearing.unsettled;
  }

  /** Open stream connections. */
  get connections(): number {
    return this.#hub.connections;
  }

  /** Runs one event, or a part of one. What it changes lasts before anybody is told of it. */
  #turn<Result>(run: () => Result): Result {
    if (this.#depth === 0) {
      this.#lasting?.begin();
    }
    this.#depth += 1;
    try {
      return run();
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) {
        this.#hub.endOfEvent();
        this.#makeLast();
        if (this.#lasting?.isSound !== false) {
          this.chain?.flush();
        }
      }
    }
  }

  /** An exchange that goes on in memory only would lose what it acknowledges: it stops. */
  #makeLast(): void {
    try {
      this.#lasting?.end();
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  #startFlow(market: Market, isRestart: boolean): void {
    const mark = market.prices.mark;
    const restart = isRestart && mark > 0n ? { startPriceQuote: quoteOf(mark, this.config.creditDecimals) } : null;
    const flow = this.#options.flowOf?.(market.id, restart) ?? null;
    if (flow === null) {
      return;
    }
    const port = new MarketFlowPort({
      market,
      desk: this.#desk,
      nowMs: () => this.#state.nowMs(),
      turn: (run) => this.#turn(run),
      onReference: () => this.#onMark(market),
    });
    this.#flows.push({ flow, port });
    flow.start(port, this.#seam);
  }

  #startAccountFlow(): void {
    const parts = {
      state: this.#state,
      clearing: this.#clearing,
      accounts: this.#router.accounts,
      orders: this.#router.orders,
      scheme: this.#options.scheme ?? ecdsaScheme,
      turn: <Result>(run: () => Result) => this.#turn(run),
    };
    this.#accountFlow = this.#options.accountFlowOf?.() ?? null;
    this.#accountFlow?.start(new AccountFlowPort(parts), this.#seam);
  }

  #requireMarket(marketId: MarketId): Market {
    const market = this.#state.markets.get(marketId);
    if (market === undefined) {
      throw new RunError("no such market", {
        field: "marketId",
        value: marketId,
        expected: [...this.#state.markets.keys()].join(" or "),
      });
    }
    return market;
  }

  #requireAccount(address: Hex): Account {
    const account = this.#state.account(address);
    if (account === undefined) {
      throw new RunError("no such account", { field: "address", value: address, expected: "a registered address" });
    }
    return account;
  }
}

const HOUSE: Hex = "0x0000000000000000000000000000000000000000";

function quoteOf(credit: CreditUnits, creditDecimals: number): number {
  return Number(credit) / 10 ** creditDecimals;
}
