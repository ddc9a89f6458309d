import { ecdsaScheme } from "../../core/crypto/signing.js";
import type { Seam } from "../../core/runtime/seam.js";
import type { Hex, MarketId } from "../../core/units.js";
import { ExchangeAccount } from "../accounts/account.js";
import { Clearing } from "../accounts/clearing.js";
import { DelayedSettlement } from "../accounts/delayed-settlement.js";
import { CreditMoves } from "../accounts/local-credit-ledger.js";
import { Withdrawals } from "../accounts/withdrawals.js";
import type { ExchangeConfig } from "../config/config.js";
import { AccountFlowPort } from "../flow/account-flow-port.js";
import { RunningFlows } from "../flow/flow-runner.js";
import { MarketFlowPort } from "../flow/market-flow-port.js";
import { Market } from "../markets/market.js";
import { type MarketRulesOnGrid, marketRules } from "../markets/market-rules.js";
import { FlowDesk } from "../matching/agent-order-gateway.js";
import { MatchBooking } from "../matching/match-booking.js";
import { OrderDesk } from "../matching/order-manager.js";
import { CreditWaits } from "../rest/deposit-waiter.js";
import { Router } from "../rest/router.js";
import { ChainSide } from "../settlement/chain-connector.js";
import { LastingState } from "../store/durable-state.js";
import { StreamHub } from "../streams/stream-hub.js";
import type { ExchangeOptions } from "./exchange-options.js";
import { ExchangeState } from "./exchange-state.js";
import { tellBoth } from "./fan-out.js";
import { MarketClock } from "./market-clock.js";
import { Turns } from "./turn-scope.js";

/** The parts of an exchange, made for each other, and how they start and stop together. */
export class ExchangeParts {
  readonly turns = new Turns({ begin: () => this.lasting?.begin(), end: () => this.#endOfEvent() });
  readonly state: ExchangeState;
  readonly clearing: Clearing;
  readonly router: Router;
  readonly hub: StreamHub;
  /** Who waits for the answer to a registration or a deposit. */
  readonly creditWaits: CreditWaits;
  /** null where trades are settled in memory. */
  readonly chain: ChainSide | null;
  /** null where nothing outlives the process. */
  readonly lasting: LastingState | null = null;
  readonly #desk: OrderDesk;
  readonly #withdrawals: Withdrawals;
  readonly #flows: RunningFlows;
  readonly #clock: MarketClock;
  readonly #stopExchange: () => void;

  /**
   * @param stopExchange called when the exchange cannot go on: its state can no longer be written, or its chain has failed.
   * @throws ConfigError when the records are not this exchange's; FormatError and RunError when these are damaged or cannot be written
   */
  constructor(
    config: ExchangeConfig,
    seam: Seam,
    options: ExchangeOptions,
    stopExchange: () => void,
  ) {
    this.#stopExchange = stopExchange;
    // The streams need the state that reports to them; until they exist nothing happens that they could hear.
    const told = tellBoth(
      () => this.lasting?.keeper ?? null,
      () => this.hub,
    );
    const state = new ExchangeState(config, seam, told);
    const turn = <Result>(run: () => Result): Result => this.turns.run(run);
    const onChanged = (accounts: Iterable<ExchangeAccount>) =>
      this.#desk.enforceMaintenance(accounts);
    const scheme = options.scheme ?? ecdsaScheme;
    this.state = state;
    this.chain = this.#chainSide(options);
    this.clearing = new Clearing(
      state,
      (onSettlement) =>
        this.chain?.settlement(onSettlement) ?? new DelayedSettlement(state, turn, onSettlement),
      this.chain?.credit({
        onChanged,
        onIncomingDone: (address) => this.creditWaits.noteDone(address),
      }) ?? new CreditMoves(state, onChanged),
    );
    const booking = new MatchBooking(this.clearing);
    this.#desk = new OrderDesk(state, booking, turn);
    this.#withdrawals = new Withdrawals(state, this.clearing, turn);
    for (const id of Object.keys(config.markets)) {
      const house = options.chain?.keys.house(id).signer.address ?? NO_ADDRESS;
      const { retention } = config;
      state.addMarket(
        this.#newMarket(id),
        new ExchangeAccount(house, seam.clock.nowMs(), retention, true),
      );
    }
    this.chain?.attach({
      onChanged,
      onMark: (market) => this.#onMark(market),
      onRevoked: (account, operator) => this.#desk.revoke(account, operator),
    });
    this.router = new Router(state, {
      desk: this.#desk,
      clearing: this.clearing,
      withdrawals: this.#withdrawals,
      scheme,
    });
    this.creditWaits = new CreditWaits({
      seam,
      credit: this.clearing.credit,
      longestMs: config.creditWaitMs,
      nextBlockMs: () => this.chain?.open.chain.nextBlockMs ?? null,
    });
    this.hub = new StreamHub(state, this.router.authentication, this.router.accounts);
    this.#clock = new MarketClock({
      state,
      clearing: this.clearing,
      turn,
      onMark: (market) => this.#desk.enforceMaintenance([...this.state.accountsIn(market).holders]),
      onReading: () => this.hub.onReading(),
      publish: () => this.hub.publishMarkets(),
    });
    this.#flows = this.#newFlows(seam, options, booking);
    if (options.records !== undefined) {
      this.lasting = new LastingState(state, this.clearing, options.records);
    }
  }

  /** Starts settlement, expiries, order flows and the clocks. @param isRestart whether the exchange has run before. */
  start(isRestart: boolean): void {
    this.clearing.start();
    this.chain?.start();
    this.#desk.start();
    this.#withdrawals.start();
    this.#flows.start(this.state.markets.values(), isRestart);
    this.turns.run(() => this.#clock.start());
  }

  /** Stops all that, and closes every stream. */
  stop(): void {
    this.hub.stop("the exchange is stopping");
    this.#flows.stop();
    this.clearing.stop();
    this.chain?.stop();
    this.#desk.stop();
    this.#withdrawals.stop();
    this.#clock.stop();
    this.creditWaits.stop();
  }

  /** A market has other rules from now on. */
  changeRules(market: Market, rules: MarketRulesOnGrid): void {
    market.rules = rules;
    this.state.listener.onMarket(market);
    this.#desk.enforceMaintenance([...this.state.accountsIn(market).holders]);
  }

  #chainSide({
    chain: open,
    onChainReport: report = () => {},
    onChainFault = () => {},
  }: ExchangeOptions): ChainSide | null {
    if (open === undefined) return null;
    const { state } = this;
    state.lensAddress = open.addresses.lens;
    const onFault = (error: unknown): void => {
      this.#stopExchange();
      onChainFault(error);
    };
    // Half of a block must not last: the next process would apply the other half with the first.
    const turn = (run: () => void) =>
      this.turns.run(() => {
        try {
          run();
        } catch (error) {
          this.lasting?.abandon(error);
          throw error;
        }
      });
    return new ChainSide({ state, open, turn, report, onFault });
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
      listener: (made) => this.#desk.listenerOf(made),
    });
    market.statusChangedMs = market.status === "TRADING" ? null : state.nowMs();
    return market;
  }

  #newFlows(
    seam: Seam,
    { flowOf, accountFlowOf, scheme = ecdsaScheme }: ExchangeOptions,
    booking: MatchBooking,
  ): RunningFlows {
    const { state, clearing } = this;
    const desk = new FlowDesk(state, booking);
    const turn = <Result>(run: () => Result): Result => this.turns.run(run);
    return new RunningFlows({
      seam,
      creditDecimals: state.config.creditDecimals,
      flowOf: (marketId, restart) => flowOf?.(marketId, restart) ?? null,
      accountFlowOf: () => accountFlowOf?.() ?? null,
      portOf: (market) =>
        new MarketFlowPort({
          market,
          desk,
          nowMs: () => state.nowMs(),
          turn,
          onReference: () => this.#onMark(market),
        }),
      accountPort: () => {
        const { accounts, orders } = this.router;
        return new AccountFlowPort({ state, clearing, accounts, orders, scheme, turn });
      },
    });
  }

  #onMark(market: Market): void {
    market.noteMark(this.state.nowMs());
    this.state.listener.onMarket(market);
    this.#desk.enforceMaintenance([...this.state.accountsIn(market).holders]);
  }

  /** What an event changed lasts before anybody is told of it, and before the chain is asked for anything. */
  #endOfEvent(): void {
    this.hub.endOfEvent();
    try {
      this.lasting?.end();
    } catch (error) {
      // An exchange that went on in memory only would lose what it acknowledges.
      this.#stopExchange();
      throw error;
    }
    if (this.lasting?.isSound !== false) {
      this.chain?.flush();
    }
    this.creditWaits.review();
  }
}

/** Of the houses where there is no chain. */
const NO_ADDRESS: Hex = "0x0000000000000000000000000000000000000000";
