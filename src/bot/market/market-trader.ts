import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, Hex, Lots, MarketId, Ms, Side, Ticks } from "../../core/units.js";
import type { MarketRules } from "../../exchange/records.js";
import type { BestPrices } from "../../executor/crossing.js";
import type { Plan } from "../../executor/plan.js";
import type { TargetPlan } from "../../executor/plan-target.js";
import { type NetTouch, netBest, netTouch } from "../../market/book/net-book.js";
import {
  type OwnBookOrder,
  OwnOrderOverlay,
  type OwnRestingOrder,
} from "../../market/book/own-order-overlay.js";
import { createMarketView } from "../../market/create-market-view.js";
import { type DecideOptions, DecisionPoints } from "../../market/decision-points.js";
import type { LiveOrderBook } from "../../market/live-order-book.js";
import { MarketState } from "../../market/market-state.js";
import { StreamLagDetector } from "../../market/stream-lag-detector.js";
import { SyncedBook } from "../../market/synced-book.js";
import type { DecisionCause, HedgeView, MarketView } from "../../market/view.js";
import type { ReferenceInstant } from "../../reference/market-reference.js";
import type { Intent, QuotesIntent, TargetIntent } from "../../strategies/intent.js";
import type { BoundStrategy, InventoryPlan } from "../../strategies/strategy.js";
import type { IntentPreview } from "../strategy/preview-strategy.js";
import {
  type StrategyListener,
  StrategySession,
  type StrategySessionDeps,
} from "../strategy/strategy-session.js";
import { FillRate } from "./fill-rate.js";
import { isSameGrid } from "./rule-changes.js";
import type { UsedReference } from "./used-reference.js";

/** Dependencies of a {@link MarketTrader}. */
export interface MarketTraderDeps extends Omit<StrategySessionDeps, "marketId"> {
  readonly instrument: Instrument;
  readonly rules: MarketRules;
  readonly decide: DecideOptions;
  /** The book that a replay changes in place; if absent, one that follows the stream. */
  readonly book?: LiveOrderBook | undefined;
  readonly maxPositionLots: Lots;
  /** The market's reference price; undefined without one. */
  readonly reference?: UsedReference | undefined;
  /** Levels per side in a view. */
  readonly depthLevels: number;
}

/** A target position that is being traded towards. */
export interface WorkedTarget {
  readonly intent: TargetIntent;
  readonly byOperator: boolean;
  /**
   * A rung of the risk ladder flattens: each order is bounded by its worst price alone, however
   * thin the touch.
   */
  readonly isByLadder?: boolean;
  /** When its last slice was sent, exchange time; undefined before the first. */
  readonly lastSliceAtMs: Ms | undefined;
}

/** Values of a market that may change while the bot runs. */
export interface MarketTraderValues {
  readonly decide: DecideOptions;
  readonly maxPositionLots: Lots;
  /** The strategy with other parameters; undefined if they are the same. */
  readonly strategy: BoundStrategy | undefined;
}

/** Inputs of a view that the trader does not hold itself. */
export interface ViewInputs {
  readonly positionLots: Lots;
  readonly hedge: HedgeView | undefined;
  readonly equity: CreditUnits;
  /** Exchange time. */
  readonly timeMs: Ms;
  /** Monotonic clock. */
  readonly monotonicMs: Ms;
}

/** Source of our own orders; it returns the same lists as long as nothing in them has changed. */
interface OwnBookOrders {
  inBook(marketId: MarketId): readonly OwnBookOrder[];
}

/** Conditions under which a plan was made. */
export interface PlanBasis {
  /** True if the plan stays right while only time passes and tokens are spent. */
  readonly isLasting: boolean;
  /** The touch of the others, to which it keeps its distance. */
  readonly touch: BestPrices;
}

/**
 * The trading state of one market: its book and marks, its strategy, and its desired orders. Only
 * its own methods change it.
 */
export class MarketTrader {
  readonly marketId: MarketId;
  readonly instrument: Instrument;
  readonly book: LiveOrderBook;
  readonly state: MarketState;
  readonly lag = new StreamLagDetector();
  readonly decisions: DecisionPoints;
  readonly fillRate = new FillRate();
  /** Its price from outside; undefined without `reference` in the config. */
  readonly reference: UsedReference | undefined;
  readonly #ownOrderOverlay = new OwnOrderOverlay();
  /** Lots as a decimal string of base. */
  readonly amountOf = (lots: Lots): string => this.instrument.formatAmount(lots);
  #rules: MarketRules;
  #maxPositionLots: Lots;
  /** The strategy's newest intent before limits cut it; undefined if they did not. */
  #submitted: Intent | undefined;
  #overLimit: ReadonlyMap<Hex, string> = NO_REASONS;
  #quotes: QuotesIntent | undefined;
  #quotesMidTicks = Number.NaN;
  #target: WorkedTarget | undefined;
  #unwind: TargetIntent | undefined;
  #lastTakeAtMs: Ms | undefined;
  #refusal: string | undefined;
  #plan: Plan | TargetPlan | undefined;
  #isPlanLasting = false;
  #planTouch: BestPrices | undefined;
  #awaitingView = true;
  #isDirty = true;
  readonly #deps: MarketTraderDeps;
  readonly #session: StrategySession;
  #viewSequence = 0;
  #lastView: MarketView | undefined;
  #touch: NetTouch | null = null;
  #isReferenceGood = false;
  #acceptedViewSequence = -1;

  constructor(deps: MarketTraderDeps) {
    this.#deps = deps;
    this.instrument = deps.instrument;
    this.marketId = deps.instrument.marketId;
    this.#rules = deps.rules;
    this.#maxPositionLots = deps.maxPositionLots;
    this.book = deps.book ?? new SyncedBook(this.marketId);
    this.reference = deps.reference;
    this.state = new MarketState(deps.instrument);
    this.decisions = new DecisionPoints(deps.decide);
    this.#session = new StrategySession({ ...deps, marketId: this.marketId });
  }

  /** The market's rules in force. */
  get rules(): MarketRules {
    return this.#rules;
  }

  /** The position limit, either way; Infinity without one. */
  get maxPositionLots(): Lots {
    return this.#maxPositionLots;
  }

  /** The strategy with its present parameters; undefined in a market without quotes. */
  get strategy(): BoundStrategy | undefined {
    return this.#session.strategy;
  }

  /** The position that the strategy plans to hold at each price; undefined if it plans none. */
  get inventoryPlan(): InventoryPlan | undefined {
    return this.#session.inventoryPlan;
  }

  /** True if the running strategy keeps its state when its parameters change. */
  get isStrategyFollowing(): boolean {
    return this.#session.isFollowing;
  }

  /**
   * Applies other values. If its parameters or the position limit change, the strategy gets a view
   * at once. One that does not follow its parameters is started again, and its earlier intent is
   * void.
   */
  configure(
    { decide, maxPositionLots, strategy }: MarketTraderValues,
    listener: StrategyListener,
  ): void {
    const isLimitSame = maxPositionLots === this.#maxPositionLots;
    this.decisions.configure(decide);
    this.#maxPositionLots = maxPositionLots;
    this.#isDirty = true;
    if (strategy === undefined && isLimitSame) return;
    const isFollowed = strategy === undefined || this.#session.update(strategy);
    this.decisions.request(!isFollowed);
    if (!isFollowed) this.connect(listener);
  }

  /** Checks other parameters. @throws whatever the strategy throws for them */
  tryStrategy(strategy: BoundStrategy): void {
    this.#session.tryStrategy(strategy);
  }

  /**
   * The strategy's intent for a view of now by other values; it changes nothing. Undefined without
   * a view to answer.
   */
  preview(
    strategy: BoundStrategy,
    inputs: ViewInputs,
    maxPositionLots: Lots,
  ): IntentPreview | undefined {
    if (this.#awaitingView) return undefined;
    const view = this.#createView("params", inputs, maxPositionLots);
    if (view === null) return undefined;
    // Its intent must not look newer than any view that the strategy has had.
    return this.#session.preview(strategy, { ...view, sequence: this.#viewSequence });
  }

  /** The strategy's newest intent, as it emitted it, before limits cut it. */
  get submitted(): Intent | undefined {
    const target = this.#target?.byOperator === false ? this.#target.intent : undefined;
    return this.#submitted ?? target ?? this.#quotes;
  }

  /** Orders that the limits no longer allow, with the reason: they are cancelled, not kept. */
  get overLimit(): ReadonlyMap<Hex, string> {
    return this.#overLimit;
  }

  setOverLimit(reasons: ReadonlyMap<Hex, string>): void {
    this.#overLimit = reasons;
    this.#isDirty = true;
  }

  /** Replaces the strategy's intent by itself, cut by other limits. */
  replaceIntent(intent: Intent, submitted: Intent): void {
    this.#submitted = submitted;
    if (intent.kind === "quotes") this.#quotes = intent;
    else if (this.#target?.byOperator === false) this.#target = { ...this.#target, intent };
    this.#isDirty = true;
  }

  /** The strategy's current quotes; a target position takes precedence over them. */
  get quotes(): QuotesIntent | undefined {
    return this.#quotes;
  }

  /** The mid for which the current quotes were made, without own orders; NaN before the first. */
  get quotesMidTicks(): number {
    return this.#quotesMidTicks;
  }

  /** The current target position: the strategy's, an operator's or the risk ladder's. */
  get target(): WorkedTarget | undefined {
    return this.#target;
  }

  /**
   * The intent of the newest plan that unwinds an acquired position; undefined if there is none, or
   * it may not be traded.
   */
  get unwind(): TargetIntent | undefined {
    return this.#unwind;
  }

  /** When the last slice of an unwinding was sent, exchange time. */
  get lastUnwindSliceAtMs(): Ms | undefined {
    return this.#lastTakeAtMs;
  }

  /** Why the strategy's last intent was refused; undefined if it was accepted. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** The newest plan, for the screen, `status` and `explain`. */
  get plan(): Plan | TargetPlan | undefined {
    return this.#plan;
  }

  /**
   * True until the strategy has seen a view since the book was last lost: its earlier intent was
   * for another market.
   */
  get isAwaitingView(): boolean {
    return this.#awaitingView;
  }

  /** True if neither time nor a token less leads to another plan than the newest one. */
  get isPlanLasting(): boolean {
    return this.#isPlanLasting;
  }

  /** The touch that the newest plan saw. */
  get planTouch(): BestPrices | undefined {
    return this.#planTouch;
  }

  /** True if something has changed since the last plan that may change it. */
  get isDirty(): boolean {
    return this.#isDirty;
  }

  /** Marks a change that may change the plan: the end of the turn makes a new plan. */
  markDirty(): void {
    this.#isDirty = true;
  }

  /** A plan starts. A change that the plan itself makes marks the market for the next one. */
  startPlan(): void {
    this.#isDirty = false;
  }

  /** The plan is complete. */
  finishPlan(plan: Plan | TargetPlan, { isLasting, touch }: PlanBasis): void {
    this.#plan = plan;
    this.#isPlanLasting = isLasting;
    this.#planTouch = touch;
  }

  /** The plan unwinds an acquired position by this intent, or by none. */
  setUnwind(intent: TargetIntent | undefined): void {
    this.#unwind = intent;
  }

  /** Trades towards a target position from now on, in place of the quotes. */
  pursue(target: WorkedTarget): void {
    this.#target = target;
    this.#isDirty = true;
  }

  /** Gives the target position up. */
  abandonTarget(): void {
    this.#target = undefined;
    this.#isDirty = true;
  }

  /**
   * The plan found the target position reached or ended. That plan stays until something else
   * changes.
   */
  completeTarget(): void {
    this.#target = undefined;
  }

  /** A slice of the target position, or of an unwinding, was sent. */
  noteSlice(nowMs: Ms): void {
    if (this.#target === undefined) this.#lastTakeAtMs = nowMs;
    else this.#target = { ...this.#target, lastSliceAtMs: nowMs };
  }

  /**
   * Applies the exchange's rules after they were read again. Rules with another grid are ignored.
   */
  rulesRead(rules: MarketRules | undefined): void {
    if (rules !== undefined && isSameGrid(this.#rules, rules)) this.#rules = rules;
    this.#isDirty = true;
  }

  /** True if a strategy quotes this market. */
  get hasStrategy(): boolean {
    return this.#session.strategy !== undefined;
  }

  get running(): boolean {
    return this.#session.running;
  }

  get lastView(): MarketView | undefined {
    return this.#lastView;
  }

  /** The sequence of the newest view; 0 before the first. */
  get newestViewSequence(): number {
    return this.#viewSequence;
  }

  /** The view of the last intent that was accepted; -1 before the first. */
  get acceptedViewSequence(): number {
    return this.#acceptedViewSequence;
  }

  /** Best bid plus best ask of the exchange's book, ours included; undefined without two sides. */
  get midHalfTicks(): number | undefined {
    if (!this.book.isSynchronised) return undefined;
    const midHalfTicks = this.book.bids.bestTicks + this.book.asks.bestTicks;
    return Number.isNaN(midHalfTicks) ? undefined : midHalfTicks;
  }

  /**
   * The touch without our own orders after the last event; null without two sides. The same object
   * as long as it is the same.
   */
  get lastTouch(): NetTouch | null {
    return this.#touch;
  }

  /**
   * The mid without our own orders, in fractional ticks, after the last event; undefined without
   * two sides.
   */
  get netMidTicks(): number | undefined {
    return this.#touch === null ? undefined : (this.#touch.bidTicks + this.#touch.askTicks) / 2;
  }

  /**
   * Accepts an intent of the strategy that has passed its checks.
   * @param submitted the same as the strategy emitted it, if limits cut it
   */
  acceptIntent(intent: Intent, submitted?: Intent): void {
    this.#submitted = submitted;
    this.#acceptedViewSequence = intent.viewSequence;
    this.#refusal = undefined;
    if (intent.kind === "quotes") {
      this.#quotes = intent;
      this.#quotesMidTicks = this.#lastView?.midTicks ?? Number.NaN;
      if (this.#target?.byOperator === false) this.#target = undefined;
    } else if (this.#target?.byOperator !== true) {
      this.#target = { intent, byOperator: false, lastSliceAtMs: this.#target?.lastSliceAtMs };
    }
    this.#isDirty = true;
  }

  /** Refuses an intent of the strategy: its earlier quotes are void too, and are cancelled. */
  refuseIntent(why: string): void {
    this.#forget();
    this.#refusal = why;
  }

  #forget(): void {
    this.#quotes = undefined;
    this.#submitted = undefined;
    if (this.#target?.byOperator === false) this.#target = undefined;
    this.#isDirty = true;
  }

  /**
   * Updates the touch without our own orders after each event. True if the book's mid may have
   * moved.
   */
  noteTouch(touch: NetTouch | null): boolean {
    const moved =
      touch?.bidTicks !== this.#touch?.bidTicks || touch?.askTicks !== this.#touch?.askTicks;
    this.#touch = touch;
    this.decisions.noteTouch(touch);
    if (moved) this.#isDirty = true;
    return touch !== null;
  }

  /**
   * Compares the reference price with the market's mid after each event. Call it after {@link
   * noteTouch}.
   * @param isBookGood true if the book may be quoted on
   */
  noteReference(now: ReferenceInstant, isBookGood: boolean): void {
    if (this.reference === undefined) return;
    const { price } = this.reference;
    price.observeMid(isBookGood ? this.netMidTicks : undefined, now);
    this.decisions.noteReference(price.fairTicks);
    const isGood = price.state(now) === "good";
    if (isGood !== this.#isReferenceGood) this.#isDirty = true;
    this.#isReferenceGood = isGood;
  }

  /** Factor by which quotes are further away while there is no good reference price; else 1. */
  get referenceWidenFactor(): number {
    const { reference } = this;
    return reference?.onStale === "widen" && !this.#isReferenceGood ? reference.widenFactor : 1;
  }

  noteFill(): void {
    this.decisions.noteFill();
    this.#isDirty = true;
  }

  /** Starts the strategy, or restarts it after it ended. */
  connect(listener: StrategyListener): void {
    this.disconnect();
    this.#refusal = undefined;
    this.#session.start(listener);
  }

  /** Stops the strategy. Its last intent is forgotten. */
  disconnect(): void {
    this.#forget();
    this.#session.stop();
  }

  /**
   * The market can no longer be trusted: no quotes are desired until the strategy has seen a new
   * view.
   */
  invalidate(reason: string): void {
    this.book.invalidate(reason);
    this.lag.lost();
    this.decisions.noteTouch(null);
    this.#awaitingView = true;
    this.#isDirty = true;
  }

  /** Best prices without our own orders; null without a synchronised book. */
  touch(): NetTouch | null {
    return this.book.isSynchronised
      ? netTouch(this.book, this.#ownOrderOverlay.shown, this.#touch)
      : null;
  }

  /**
   * The best price of one side without our own orders, even if the other side is empty, for an
   * order that has to stay behind it. Undefined if that side has no other orders. Levels that the
   * book may still show of ours count: a touch too near costs a tick, one too far a fee.
   */
  best(side: Side, ownOrders: readonly OwnRestingOrder[]): Ticks | undefined {
    if (!this.book.isSynchronised) return undefined;
    const best = netBest(
      side === "BUY" ? this.book.bids : this.book.asks,
      this.book.holdsOwnOrders ? ownOrders : NO_ORDERS,
    );
    return Number.isNaN(best) ? undefined : best;
  }

  /** Emits a view to the strategy. False if the market lacks a side without our own orders. */
  emitView(cause: DecisionCause, inputs: ViewInputs): boolean {
    const view = this.#createView(cause, inputs, this.#maxPositionLots);
    if (view === null) return false;
    this.#viewSequence = view.sequence;
    this.#lastView = view;
    this.state.startView();
    if (this.#awaitingView) this.#isDirty = true;
    this.#awaitingView = false;
    this.#session.emitView(view);
    return true;
  }

  #createView(cause: DecisionCause, inputs: ViewInputs, maxPositionLots: Lots): MarketView | null {
    return createMarketView({
      instrument: this.instrument,
      book: this.book,
      ownOrders: this.#ownOrderOverlay.shown,
      state: this.state,
      before: this.#lastView,
      sequence: this.#viewSequence + 1,
      timeMs: inputs.timeMs,
      cause,
      depthLevels: this.#deps.depthLevels,
      positionLots: inputs.positionLots,
      hedge: inputs.hedge,
      equity: inputs.equity,
      maxPositionLots,
      reference: this.reference?.price.price({
        monotonicMs: inputs.monotonicMs,
        exchangeMs: inputs.timeMs,
      }),
    });
  }

  /** Updates our own orders after each event. `nowMs`: monotonic clock. */
  noteOwn(orders: OwnBookOrders, nowMs: Ms): void {
    if (this.book.holdsOwnOrders)
      this.#ownOrderOverlay.note(orders.inBook(this.marketId), this.book, nowMs);
  }
}

const NO_ORDERS: readonly OwnRestingOrder[] = [];

const NO_REASONS: ReadonlyMap<Hex, string> = new Map();
