import { NEVER, type Observable } from "rxjs";
import type { SignedFeeRates } from "../../bot/execution/signed-rates.js";
import type { CreditUnits, Lots, MarketId, Ticks } from "../../core/units.js";
import type { VenueOrder, VenueRules, VenueTrade } from "../../exchange/records.js";
import type {
  Action,
  CancelAction,
  CancelAllAction,
  Outcome,
  PlaceAction,
  Venue,
  VenueEvent,
} from "../../exchange/venue.js";
import type { ActionCosts } from "../../executor/dispatch-budget.js";
import type { FillCause } from "../matching/matcher.js";
import type {
  BudgetSample,
  FillAmbiguity,
  ReplayFill,
  RunObserver,
} from "../record/run-observer.js";
import type { AmbiguousFillRule } from "./ambiguous-fill-rule.js";
import { answerQuery, RecentRecords } from "./answer-query.js";
import { ExchangeBudgets } from "./exchange-budgets.js";
import type { ExchangeOrder } from "./exchange-order.js";
import { findPlaceRefusal, refuseWith } from "./find-place-refusal.js";
import { DelayLine } from "./latency/delay-line.js";
import type { LatencyModel } from "./latency/latency.js";
import { RequestLines } from "./latency/request-lines.js";
import type { MarketTerms } from "./market-terms.js";
import type { OrderGas } from "./order-gas.js";
import { type OpeningPosition, ReplayAccount } from "./replay-account.js";
import { ReplayIncomes } from "./replay-incomes.js";
import { type OrderListener, ReplayMarket } from "./replay-market.js";

/** Options of a replayed venue. */
export interface ReplayVenueOptions {
  readonly rules: VenueRules;
  /** Gas that small orders pay on top of their fees. */
  readonly gas: OrderGas;
  readonly terms: ReadonlyMap<MarketId, MarketTerms>;
  readonly startCredit: CreditUnits;
  /** Opening positions of the account; none where absent. */
  readonly opening?: ReadonlyMap<MarketId, OpeningPosition> | undefined;
  readonly latency: LatencyModel;
  /** Latency of a market's orders and cancels, where it differs. */
  readonly latencyFor?: (marketId: MarketId) => LatencyModel | undefined;
  readonly doubtful: AmbiguousFillRule;
  /** Cost of each action in the exchange's token budgets. */
  readonly costs: ActionCosts;
  readonly observer: RunObserver;
  /** The bot's clock, microseconds. */
  readonly nowUs: () => number;
  /** The distance rank of the quote behind an order. */
  readonly levelFor: (hash: string) => number;
}

/** Events that are delivered at once, in this order. */
type Response = readonly VenueEvent[];

/**
 * The exchange of a replay (docs/ideas/design.md#venue), on two clocks. Requests are sent on the
 * bot's clock and arrive after their delay on the exchange's. The bot receives their results after
 * another delay. The engine sets the times: it plays the markets' history, lets requests arrive and
 * takes out the events that are due.
 */
export class ReplayVenue implements Venue, OrderListener {
  /** Never emits: the engine delivers every event itself, at its time. */
  readonly events$: Observable<VenueEvent> = NEVER;
  readonly account: ReplayAccount;
  readonly markets: ReadonlyMap<MarketId, ReplayMarket>;
  readonly #options: ReplayVenueOptions;
  readonly #requests = new RequestLines();
  readonly #responses = new DelayLine<Response>();
  readonly #trades = new RecentRecords<VenueTrade>();
  readonly #incomes: ReplayIncomes;
  readonly #budgets: ExchangeBudgets;
  #lastId = 0;
  #fills = 0;

  constructor(options: ReplayVenueOptions) {
    this.#options = options;
    this.account = new ReplayAccount(options.terms, options.startCredit, options.opening);
    this.markets = new Map(
      [...options.terms].map(([marketId, terms]) => [
        marketId,
        new ReplayMarket(terms, this, options.observer),
      ]),
    );
    this.#incomes = new ReplayIncomes({
      account: this.account,
      markets: this.markets,
      observer: options.observer,
      nextId: () => this.#nextId(),
      publish: (events, atUs) => this.#publish(events, atUs),
    });
    this.#budgets = new ExchangeBudgets(options.rules.rateLimits, options.costs);
  }

  /** When the next request arrives at the exchange; Infinity when none is in transit. */
  get nextArrivalUs(): number {
    return this.#requests.nextUs;
  }

  /** When the bot receives the next event; Infinity when none is in transit. */
  get nextDeliveryUs(): number {
    return this.#responses.nextUs;
  }

  /** Minimum delay of any request of the bot, in any market. */
  get minEntryUs(): number {
    const { latency, latencyFor } = this.#options;
    let least = latency.minEntryUs;
    for (const marketId of this.markets.keys())
      least = Math.min(least, latencyFor?.(marketId)?.minEntryUs ?? least);
    return least;
  }

  /** True if the account was liquidated, partly or completely. */
  get isLiquidated(): boolean {
    return this.#incomes.isLiquidated;
  }

  submit(action: Action): void {
    const nowUs = this.#options.nowUs();
    const latency = this.#latencyOf(action);
    const entryUs = latency.entryUs(nowUs);
    if (entryUs < 0) {
      const outcome: Outcome = {
        result: "not-sent",
        message: "the recorded round trip of this time was refused on its way",
      };
      this.#responses.push(
        [{ type: "answer", actionId: action.actionId, outcome }],
        nowUs - entryUs,
      );
      return;
    }
    this.#requests.push(latency, action, nowUs + entryUs);
  }

  /** An unknown book becomes known again with the next recorded data. */
  resubscribe(): void {}

  close(): void {}

  /** Connects the bot's streams. */
  openStreams(atUs: number): void {
    this.#responses.push(
      [
        { type: "stream", stream: "market", state: "up", reason: "replayed" },
        { type: "stream", stream: "account", state: "up", reason: "replayed" },
      ],
      atUs,
    );
  }

  /** Takes out the events that the bot receives next. Only when some are in transit. */
  takeDelivery(): Response {
    return this.#responses.take();
  }

  /**
   * Puts an order into the book that was open before the replay began, at the end of the queue at
   * its price. Plays the history until then. Only before the bot has sent anything.
   * @param order on the market's grid, and not expired
   */
  resume(order: VenueOrder, atUs: number): void {
    const { marketId, side, ticks, availableLots } = order;
    const market = this.#marketOf(marketId);
    while (market.matcher.nextUs <= atUs) market.matcher.advance(atUs, true);
    market.resume(Number(this.#nextId()), order, atUs);
    this.account.open(marketId, side, ticks, 0, availableLots);
  }

  /** Processes the first arrival. Only when a request is in transit. */
  processArrival(atUs: number): void {
    const action = this.#requests.take();
    const outcome = this.#throttle(action, atUs) ?? this.#take(action, atUs);
    if (outcome !== undefined) this.#answer(action, outcome, atUs);
  }

  /** Sets the mark of a market as the exchange computes it. */
  mark(marketId: MarketId, mark: CreditUnits): void {
    this.account.mark(marketId, mark);
  }

  /**
   * Applies changed rules of a market, on its own grid, to new orders and to the account's margin.
   */
  changeTerms(marketId: MarketId, terms: MarketTerms): void {
    this.#marketOf(marketId).terms = terms;
    this.account.changeTerms(marketId, terms);
  }

  /** Liquidates an account that marks or funding have made unsafe. */
  liquidateIfUnsafe(atUs: number): void {
    if (!this.account.isSafe) this.#incomes.liquidate(atUs);
  }

  /** Pays funding at the mark of this instant on the present positions. */
  payFunding(marketId: MarketId, rateE18: bigint, atUs: number): void {
    this.#incomes.payFunding(marketId, rateE18, atUs);
  }

  /** The present state of the exchange's token budgets. */
  budgets(atUs: number): BudgetSample[] {
    return this.#budgets.samples(atUs);
  }

  accepted(held: ExchangeOrder, atUs: number): void {
    const { marketId, side, ticks } = held.action;
    this.account.open(marketId, side, this.#worstTicks(held, ticks), 0, held.order.openLots);
    this.#answer(held.action, { result: "accepted", order: this.#record(held) }, atUs);
  }

  filled(
    held: ExchangeOrder,
    ticks: Ticks,
    lots: Lots,
    cause: FillCause,
    atUs: number,
    isDoubtful: boolean,
  ): void {
    const { action, order, quote: before } = held;
    const { marketId, side } = action;
    const timeMs = Math.floor(atUs / 1000);
    const mayTake = action.timeInForce !== "POST_ONLY";
    const isWorse = isDoubtful && this.#options.doubtful === "conservative";
    const { makerFeeRate, takerFeeRate } = held.rates;
    const isMaker = cause !== "taker" && !(isWorse && mayTake && takerFeeRate >= makerFeeRate);
    const market = this.#marketOf(marketId);
    const midHalfTicks = market.midHalfTicks;
    const gasRate = this.#options.gas.rateOf(action, market.terms.instrument);
    const trade = this.account.fill(
      { id: this.#nextId(), marketId, side, isMaker, ticks, lots, timeMs },
      before,
      mayTake || !isWorse,
      gasRate,
      held.rates,
    );
    const { quote, commission: fee } = trade;
    held.filled(ticks, lots, quote);
    this.account.open(
      marketId,
      side,
      this.#worstTicks(held, action.ticks),
      order.openLots + lots,
      order.openLots,
    );
    this.#trades.add(trade);
    const receivedUs = this.#publish(
      [
        { type: "order-update", order: this.#record(held), timestampMs: timeMs },
        { type: "trade-update", trade },
        this.account.update(),
      ],
      atUs,
    );
    this.#fills += 1;
    const fill: ReplayFill = {
      marketId,
      number: this.#fills,
      atUs,
      receivedUs: receivedUs,
      orderId: order.id,
      side,
      level: this.#options.levelFor(action.hash),
      ticks,
      lots,
      isMaker,
      cause,
      ambiguity: isDoubtful
        ? this.#toAmbiguity(trade, held.rates, mayTake, before, gasRate)
        : undefined,
      quote,
      fee,
      midHalfTicks,
      positionLots: this.account.positionLots(marketId),
    };
    this.#options.observer.fill(fill);
  }

  ended(held: ExchangeOrder, atUs: number): void {
    const { marketId, side, ticks } = held.action;
    this.account.open(marketId, side, this.#worstTicks(held, ticks), held.order.openLots, 0);
    this.#publish(
      [{ type: "order-update", order: this.#record(held), timestampMs: Math.floor(atUs / 1000) }],
      atUs,
    );
  }

  /** A 429, as the exchange counts it; undefined when the request is within its budgets. */
  #throttle(action: Action, atUs: number): Outcome | undefined {
    const throttled = this.#budgets.charge(action, atUs);
    if (throttled === undefined) return undefined;
    const { bucket, outcome } = throttled;
    this.#options.observer.note(
      atUs,
      "warn",
      `the exchange refused a ${action.kind}: its ${bucket} budget was spent`,
    );
    return outcome;
  }

  /** Executes a request. Undefined where the answer was already given. */
  #take(action: Action, atUs: number): Outcome | undefined {
    switch (action.kind) {
      case "place":
        return this.#place(action, atUs);
      case "cancel":
        return this.#cancel(action, atUs);
      case "cancel-all":
        return this.#cancelAll(action, atUs);
      case "build":
        return refuseWith(2010, "a replay builds no orders: exchange.placement is local here");
      case "question": {
        const { rules } = this.#options;
        const sources = {
          rules,
          account: this.account,
          markets: this.markets,
          trades: this.#trades,
          incomes: this.#incomes.recent,
        };
        return answerQuery(action, sources, Math.floor(atUs / 1000));
      }
    }
  }

  #place(action: PlaceAction, atUs: number): Outcome | undefined {
    const market = this.#marketOf(action.marketId);
    const { gas } = this.#options;
    const refusal =
      gas.findRefusal(action, market.terms) ??
      findPlaceRefusal(action, market, this.account, atUs / 1000);
    if (refusal !== undefined) return refusal;
    market.place(Number(this.#nextId()), action, atUs);
    return undefined;
  }

  #cancel(action: CancelAction, atUs: number): Outcome {
    const isCancelled = this.#marketOf(action.marketId).cancel(Number(action.orderId), atUs);
    return isCancelled ? { result: "cancelled" } : refuseWith(2011, "it is not open");
  }

  #cancelAll({ marketId }: CancelAllAction, atUs: number): Outcome {
    const market = this.#marketOf(marketId);
    for (const { order } of [...market.openOrders]) market.cancel(order.id, atUs);
    return { result: "cancelled" };
  }

  #toAmbiguity(
    { quote, isMaker }: VenueTrade,
    rates: SignedFeeRates,
    mayTake: boolean,
    before: CreditUnits,
    gasRate: bigint,
  ): FillAmbiguity {
    const isWorse = this.#options.doubtful === "conservative";
    const feeOf = (asMaker: boolean, hasRebate: boolean) =>
      this.account.computeFee(rates, quote, before, asMaker, hasRebate, gasRate);
    return mayTake
      ? { kind: "may-have-taken", feeOtherwise: feeOf(!isMaker, true) }
      : { kind: "may-have-been-refused", feeOtherwise: feeOf(true, isWorse) };
  }

  /** A MARKET order counts at the worst price that it may pay. */
  #worstTicks(held: ExchangeOrder, ticks: Ticks): Ticks {
    return Number.isNaN(ticks) ? this.#marketOf(held.action.marketId).terms.rules.maxTicks : ticks;
  }

  #record(held: ExchangeOrder): VenueOrder {
    return this.#marketOf(held.action.marketId).toRecord(held);
  }

  #answer(action: Pick<Action, "actionId">, outcome: Outcome, atUs: number): void {
    this.#publish([{ type: "answer", actionId: action.actionId, outcome }], atUs);
  }

  /** Returns when the bot receives them. */
  #publish(events: Response, atUs: number): number {
    return this.#responses.push(events, atUs + this.#options.latency.responseUs(atUs));
  }

  #latencyOf(action: Action): LatencyModel {
    const { latency, latencyFor } = this.#options;
    return (action.kind === "question" ? undefined : latencyFor?.(action.marketId)) ?? latency;
  }

  #marketOf(marketId: MarketId): ReplayMarket {
    return this.markets.get(marketId) as ReplayMarket;
  }

  #nextId(): string {
    this.#lastId += 1;
    return String(this.#lastId);
  }
}
