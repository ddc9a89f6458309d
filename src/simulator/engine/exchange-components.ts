import { ecdsaScheme, type SignatureScheme } from "../../core/crypto/signing.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { Hex, MarketId } from "../../core/units.js";
import { ExchangeAccount } from "../accounts/account.js";
import { Clearing } from "../accounts/clearing.js";
import { DelayedSettlement } from "../accounts/delayed-settlement.js";
import { LocalCreditLedger } from "../accounts/local-credit-ledger.js";
import { Withdrawals } from "../accounts/withdrawals.js";
import type { ExchangeConfig } from "../config/config.js";
import type { Dialect, DialectDeps } from "../dialects/dialect.js";
import { AccountFlowPort } from "../flow/account-flow-port.js";
import { FlowRunner } from "../flow/flow-runner.js";
import { MarketFlowPort } from "../flow/market-flow-port.js";
import { Market } from "../markets/market.js";
import { type MarketRulesOnGrid, marketRules } from "../markets/market-rules.js";
import { AgentOrderGateway } from "../matching/agent-order-gateway.js";
import { MatchBooking } from "../matching/match-booking.js";
import { OrderManager } from "../matching/order-manager.js";
import { DepositWaiter } from "../rest/deposit-waiter.js";
import { Router } from "../rest/router.js";
import type { ChainConnector } from "../settlement/chain-connector.js";
import { DurableState } from "../store/durable-state.js";
import { StreamHub } from "../streams/stream-hub.js";
import type { ExchangeOptions } from "./exchange-options.js";
import { ExchangeState } from "./exchange-state.js";
import { fanOut } from "./fan-out.js";
import { ListenerList } from "./listener-list.js";
import { MarketClock } from "./market-clock.js";
import { TurnScope } from "./turn-scope.js";

/** The parts of an exchange, and their start and stop in order. */
export class ExchangeComponents {
  readonly turnScope = new TurnScope({
    begin: () => this.durableState?.begin(),
    end: () => this.#endOfEvent(),
  });
  readonly state: ExchangeState;
  readonly clearing: Clearing;
  readonly router: Router;
  readonly hub: StreamHub;
  /** Delays responses to registrations and deposits. */
  readonly depositWaiter: DepositWaiter;
  /** null where trades settle in memory. */
  readonly chain: ChainConnector | null;
  /** null where no state is stored. */
  readonly durableState: DurableState | null = null;
  readonly #orderManager: OrderManager;
  readonly #withdrawals: Withdrawals;
  readonly #flows: FlowRunner;
  readonly #clock: MarketClock;
  readonly #stopExchange: () => void;
  /** The streams, and every dialect. */
  readonly #listeners = new ListenerList();
  readonly #dialects: Dialect[] = [];
  readonly #scheme: SignatureScheme;

  /**
   * @param stopExchange called when the exchange cannot continue: its state can no longer be
   * written, or its chain has failed.
   * @throws ConfigError when the records belong to another exchange; FormatError and RunError when
   * they are damaged or cannot be written
   */
  constructor(
    config: ExchangeConfig,
    runtime: Runtime,
    options: ExchangeOptions,
    stopExchange: () => void,
  ) {
    this.#stopExchange = stopExchange;
    // The streams need the state, which reports to them. No event happens before they exist.
    const sink = fanOut(
      () => this.durableState?.writer ?? null,
      () => this.#listeners,
    );
    const state = new ExchangeState(config, runtime, sink);
    const turn = <Result>(run: () => Result): Result => this.turnScope.run(run);
    const onChanged = (accounts: Iterable<ExchangeAccount>) =>
      this.#orderManager.enforceMaintenance(accounts);
    const scheme = options.scheme ?? ecdsaScheme;
    this.#scheme = scheme;
    this.state = state;
    this.chain = this.#chainSide(options);
    this.clearing = new Clearing(
      state,
      (onSettlement) =>
        this.chain?.settlement(onSettlement) ?? new DelayedSettlement(state, turn, onSettlement),
      this.chain?.credit({
        onChanged,
        onDepositArrived: (address) => this.depositWaiter.markArrived(address),
      }) ?? new LocalCreditLedger(state, onChanged),
    );
    const booking = new MatchBooking(this.clearing);
    this.#orderManager = new OrderManager(state, booking, turn);
    this.#withdrawals = new Withdrawals(state, this.clearing, turn);
    for (const id of Object.keys(config.markets)) {
      const house = options.chain?.open.keys.house(id).signer.address ?? NO_ADDRESS;
      const { retention } = config;
      state.addMarket(
        this.#newMarket(id),
        new ExchangeAccount(house, runtime.clock.nowMs(), retention, true),
      );
    }
    this.chain?.attach({
      onChanged,
      onMark: (market) => this.#onMark(market),
      onRevoked: (account, operator) => this.#orderManager.revokeOperator(account, operator),
    });
    this.router = new Router(state, {
      orderManager: this.#orderManager,
      clearing: this.clearing,
      withdrawals: this.#withdrawals,
      scheme,
    });
    this.depositWaiter = new DepositWaiter({
      runtime,
      credit: this.clearing.credit,
      maxWaitMs: config.creditWaitMs,
      nextBlockMs: () => this.chain?.open.chain.nextBlockMs ?? null,
    });
    this.hub = new StreamHub(state, this.router.authentication, this.router.accounts);
    this.#listeners.add(this.hub);
    this.#clock = new MarketClock({
      state,
      clearing: this.clearing,
      turn,
      onMark: (market) =>
        this.#orderManager.enforceMaintenance([...this.state.accountsFor(market).holders]),
      onSample: () => {
        this.hub.onSample();
        for (const dialect of this.#dialects) dialect.onSample();
      },
      publish: () => this.hub.publishMarkets(),
    });
    this.#flows = this.#newFlows(runtime, options, booking);
    if (options.records !== undefined) {
      this.durableState = new DurableState(state, this.clearing, options.records);
    }
  }

  /** Adds another wire language, which hears of every event from now on. */
  addDialect<Kind extends Dialect>(create: (deps: DialectDeps) => Kind): Kind {
    const { state, clearing, router, turnScope } = this;
    const dialect = create({
      state,
      clearing,
      orderManager: this.#orderManager,
      accounts: router.accounts,
      orders: router.orders,
      scheme: this.#scheme,
      turn: (run) => turnScope.run(run),
      deferSends: (sink) => this.durableState?.deferSends(sink) ?? sink,
    });
    this.#listeners.add(dialect);
    this.#dialects.push(dialect);
    return dialect;
  }

  /**
   * Starts settlement, expiries, order flows and the clocks.
   * @param isRestart true if the exchange has run before.
   */
  start(isRestart: boolean): void {
    this.clearing.start();
    this.chain?.start();
    this.#orderManager.start();
    this.#withdrawals.start();
    this.#flows.start(this.state.markets.values(), isRestart);
    this.turnScope.run(() => this.#clock.start());
    for (const dialect of this.#dialects) this.turnScope.run(() => dialect.start());
  }

  /** Stops all parts and closes every stream. */
  stop(): void {
    this.hub.stop("the exchange is stopping");
    for (const dialect of this.#dialects) dialect.stop();
    this.#flows.stop();
    this.clearing.stop();
    this.chain?.stop();
    this.#orderManager.stop();
    this.#withdrawals.stop();
    this.#clock.stop();
    this.depositWaiter.stop();
  }

  /** Changes a market's rules from now on. */
  changeRules(market: Market, rules: MarketRulesOnGrid): void {
    market.rules = rules;
    this.state.listener.onMarket(market);
    this.#orderManager.enforceMaintenance([...this.state.accountsFor(market).holders]);
  }

  #chainSide({
    chain,
    onChainReport: report = () => {},
    onChainFault = () => {},
  }: ExchangeOptions): ChainConnector | null {
    if (chain === undefined) return null;
    const { state } = this;
    const { open } = chain;
    state.lensAddress = open.addresses.lens;
    const onFault = (error: unknown): void => {
      this.#stopExchange();
      onChainFault(error);
    };
    // Half of a block must not be committed: the next process would apply the whole block again.
    const turn = (run: () => void) =>
      this.turnScope.run(() => {
        try {
          run();
        } catch (error) {
          this.durableState?.abandon(error);
          throw error;
        }
      });
    return chain.connect({ state, open, turn, report, onFault });
  }

  #newMarket(id: MarketId): Market {
    const { state } = this;
    const { choices, retention } = state.config;
    const market = new Market({
      rules: marketRules(id, state.config),
      selfMatch: choices.selfMatch,
      firstSequence: 1,
      keepTrades: retention.publicTrades,
      candles: { keep: retention.candles, emptyBars: choices.emptyBars },
      listener: (made) => this.#orderManager.createEngineListener(made),
    });
    market.statusChangedMs = market.status === "TRADING" ? null : state.nowMs();
    return market;
  }

  #newFlows(
    runtime: Runtime,
    { createFlow, createAccountFlow, scheme = ecdsaScheme }: ExchangeOptions,
    booking: MatchBooking,
  ): FlowRunner {
    const { state, clearing } = this;
    const desk = new AgentOrderGateway(state, booking);
    const turn = <Result>(run: () => Result): Result => this.turnScope.run(run);
    return new FlowRunner({
      runtime,
      creditDecimals: state.config.creditDecimals,
      createFlow: (marketId, restart) => createFlow?.(marketId, restart) ?? null,
      createAccountFlow: () => createAccountFlow?.() ?? null,
      createMarketPort: (market) =>
        new MarketFlowPort({
          market,
          gateway: desk,
          nowMs: () => state.nowMs(),
          turn,
          onReference: () => this.#onMark(market),
        }),
      createAccountPort: () => {
        const { accounts, orders } = this.router;
        return new AccountFlowPort({ state, clearing, accounts, orders, scheme, turn });
      },
    });
  }

  #onMark(market: Market): void {
    market.noteMark(this.state.nowMs());
    this.state.listener.onMarket(market);
    this.#orderManager.enforceMaintenance([...this.state.accountsFor(market).holders]);
  }

  /** Commits an event's changes before they are published or anything is sent to the chain. */
  #endOfEvent(): void {
    // A dialect may cancel orders, which the streams report too.
    for (const dialect of this.#dialects) dialect.flush();
    this.hub.flush();
    try {
      this.durableState?.end();
    } catch (error) {
      // An exchange that continued in memory only would lose what it acknowledges.
      this.#stopExchange();
      throw error;
    }
    if (this.durableState?.isIntact !== false) {
      this.chain?.flush();
    }
    this.depositWaiter.releaseArrived();
  }
}

/** The houses' address where there is no chain. */
const NO_ADDRESS: Hex = "0x0000000000000000000000000000000000000000";
