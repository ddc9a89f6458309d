import { isObservable, Observable, type Subscriber, Subscription } from "rxjs";
import type { Instrument } from "../core/instrument.js";
import { thrownText } from "../core/thrown-text.js";
import type { CreditUnits, Lots, MarketId, Ms, Side, Ticks } from "../core/units.js";
import type { MarketRules } from "../exchange/records.js";
import type { Plan } from "../executor/plan.js";
import type { TargetPlan } from "../executor/target-position.js";
import { type NetTouch, netBest, netTouch } from "../market/book/net-book.js";
import {
  type OwnBookOrder,
  OwnOrderOverlay,
  type OwnRestingOrder,
} from "../market/book/own-order-overlay.js";
import { SyncedBook } from "../market/book-sync.js";
import { type DecideOptions, DecisionPoints } from "../market/decision-points.js";
import type { DeskBook } from "../market/desk-book.js";
import { MarketState } from "../market/market-state.js";
import { marketView } from "../market/market-view.js";
import { StreamLag } from "../market/stream-lag.js";
import type { DecisionCause, MarketView } from "../market/view.js";
import type { Intent, QuotesIntent, TargetIntent } from "../strategies/intent.js";
import type { BoundStrategy, StrategyContext } from "../strategies/strategy.js";

/** What a desk is made of. */
export interface DeskOptions {
  readonly instrument: Instrument;
  readonly rules: MarketRules;
  readonly decide: DecideOptions;
  /** The book that a replay changes in place; one that follows the stream when absent. */
  readonly book?: DeskBook | undefined;
  /** Undefined in a market where nothing is quoted: what is taken over there is sold, and nothing else done. */
  readonly strategy: BoundStrategy | undefined;
  readonly context: StrategyContext;
  readonly maxPositionLots: Lots;
  /** Levels a side that a view holds. */
  readonly depthLevels: number;
  readonly calling?: ((marketId: MarketId | undefined) => void) | undefined;
  readonly onIntent: (intent: Intent) => void;
  /** The strategy threw, or ended: whoever hears of it disconnects, and halts the market (design, rule 4). */
  readonly onStrategyEnd: (why: string, error?: { readonly thrown: unknown }) => void;
}

/** What a view needs that the desk does not hold itself. */
export interface ViewInputs {
  readonly positionLots: Lots;
  readonly equity: CreditUnits;
  /** Exchange time. */
  readonly timeMs: Ms;
}

/** Who knows our own orders; the same lists as long as nothing of them has changed. */
interface OwnBookOrders {
  inBook(marketId: MarketId): readonly OwnBookOrder[];
}

/** One market of the bot: its book and marks, its strategy, and what is wanted of it now. */
export class Desk {
  readonly marketId: MarketId;
  readonly instrument: Instrument;
  readonly book: DeskBook;
  readonly state: MarketState;
  readonly lag = new StreamLag();
  readonly decisions: DecisionPoints;
  readonly #ownInBook = new OwnOrderOverlay();
  readonly maxPositionLots: Lots;
  rules: MarketRules;
  /** The strategy's standing intent; an operator's target position stands above it. */
  quotes: QuotesIntent | undefined;
  target:
    | {
        readonly intent: TargetIntent;
        readonly byOperator: boolean;
        /** A rung of the risk ladder flattens: each order is bounded by its worst price alone, however thin the touch. */
        readonly isByLadder?: boolean;
        lastSliceAtMs: Ms | undefined;
      }
    | undefined;
  /** The mid that the standing quotes were made around, without own orders; NaN before the first. */
  quotesMidTicks = Number.NaN;
  /** What is wanted because of an inherited position, as it was planned last; undefined when there is none, or it may not be worked. */
  unwind: TargetIntent | undefined;
  /** When the last slice of an unwinding left, exchange time. */
  lastTakeAtMs: Ms | undefined;
  /** Why the strategy's last intent was refused; undefined when it was taken. */
  refusal: string | undefined;
  /** Lots as a decimal string of base. */
  readonly amountOf = (lots: Lots): string => this.instrument.amountOf(lots);
  /** The newest plan, for the screen, `status` and `explain`. */
  plan: Plan | TargetPlan | undefined;
  /** True until the strategy has seen a view since the book was last lost: what it wanted before answers another market. */
  awaitingView = true;
  /** Something changed that the next settlement has to plan for. */
  dirty = true;
  readonly #options: DeskOptions;
  /** Who hears the views: what the strategy's operator has subscribed, which may be several. Another list after each change, so that one that is being told stands. */
  #viewers: readonly Subscriber<MarketView>[] = [];
  #subscription: Subscription | undefined;
  #viewSequence = 0;
  #lastView: MarketView | undefined;
  #touch: NetTouch | null = null;
  #acceptedViewSequence = -1;

  constructor(options: DeskOptions) {
    this.#options = options;
    this.instrument = options.instrument;
    this.marketId = options.instrument.marketId;
    this.rules = options.rules;
    this.maxPositionLots = options.maxPositionLots;
    this.book = options.book ?? new SyncedBook(this.marketId);
    this.state = new MarketState(options.instrument);
    this.decisions = new DecisionPoints(options.decide);
  }

  /** Whether a strategy quotes here at all. */
  get hasStrategy(): boolean {
    return this.#options.strategy !== undefined;
  }

  get running(): boolean {
    return this.#subscription !== undefined;
  }

  get lastView(): MarketView | undefined {
    return this.#lastView;
  }

  /** The sequence of the newest view; 0 before the first. */
  get newestViewSequence(): number {
    return this.#viewSequence;
  }

  /** The view of the last intent that was taken; -1 before the first. */
  get acceptedViewSequence(): number {
    return this.#acceptedViewSequence;
  }

  /** Best bid plus best ask of the exchange's book, ours included; undefined without two sides. */
  get midHalfTicks(): number | undefined {
    if (!this.book.synchronised) return undefined;
    const midHalfTicks = this.book.bids.bestTicks + this.book.asks.bestTicks;
    return Number.isNaN(midHalfTicks) ? undefined : midHalfTicks;
  }

  /** The mid without our own orders, in fractional ticks, as the last event left it; undefined without two sides. */
  get netMidTicks(): number | undefined {
    return this.#touch === null ? undefined : (this.#touch.bidTicks + this.#touch.askTicks) / 2;
  }

  /** An intent of the strategy that was found in shape. */
  take(intent: Intent): void {
    this.#acceptedViewSequence = intent.viewSequence;
    this.refusal = undefined;
    if (intent.kind === "quotes") {
      this.quotes = intent;
      this.quotesMidTicks = this.#lastView?.midTicks ?? Number.NaN;
      if (this.target?.byOperator === false) this.target = undefined;
    } else if (this.target?.byOperator !== true) {
      this.target = { intent, byOperator: false, lastSliceAtMs: this.target?.lastSliceAtMs };
    }
    this.dirty = true;
  }

  /** An intent of the strategy was refused: what it wanted before is nobody's wish any more, and comes down. */
  refuse(why: string): void {
    this.#forget();
    this.refusal = why;
  }

  #forget(): void {
    this.quotes = undefined;
    if (this.target?.byOperator === false) this.target = undefined;
    this.dirty = true;
  }

  /** After each event: the touch without our own orders. True when the book's mid may have moved. */
  noteTouch(touch: NetTouch | null): boolean {
    const moved =
      touch?.bidTicks !== this.#touch?.bidTicks || touch?.askTicks !== this.#touch?.askTicks;
    this.#touch = touch;
    this.decisions.noteTouch(touch);
    if (moved) this.dirty = true;
    return touch !== null;
  }

  noteFill(): void {
    this.decisions.noteFill();
    this.dirty = true;
  }

  /** Starts the strategy, or starts it anew after it ended. */
  connect(): void {
    this.disconnect();
    this.refusal = undefined;
    const { strategy } = this.#options;
    if (strategy === undefined) return;
    this.#viewers = [];
    this.#options.calling?.(this.marketId);
    this.#subscribe(strategy);
    this.#options.calling?.(undefined);
  }

  #subscribe(strategy: BoundStrategy): void {
    const subscription = new Subscription();
    this.#subscription = subscription;
    try {
      const intents = this.#view$().pipe(strategy(this.#options.context));
      if (!isObservable(intents))
        return this.#ended(
          "strategy failed to start: its operator made no Observable of the views",
          { thrown: intents },
        );
      // One that ended, or was stopped, while it was being subscribed to is unsubscribed at once.
      subscription.add(
        intents.subscribe({
          next: (intent) => this.#options.onIntent(intent),
          error: (error: unknown) =>
            this.#ended(`strategy failed: ${thrownText(error)}`, { thrown: error }),
          complete: () => this.#ended("strategy completed"),
        }),
      );
    } catch (error) {
      this.#ended(`strategy failed to start: ${thrownText(error)}`, { thrown: error });
    }
  }

  /** Stops the strategy. What it wanted last is forgotten. */
  disconnect(): void {
    const subscription = this.#subscription;
    this.#subscription = undefined;
    this.#forget();
    try {
      subscription?.unsubscribe();
    } catch (error) {
      this.#ended(`strategy failed as it was stopped: ${thrownText(error)}`, { thrown: error });
    }
  }

  /** The market can no longer be trusted: nothing is wanted until the strategy has seen a new view. */
  lose(reason: string): void {
    this.book.lose(reason);
    this.lag.lost();
    this.decisions.noteTouch(null);
    this.awaitingView = true;
    this.dirty = true;
  }

  /** Best prices without our own orders; null when the book is not there. */
  touch(): NetTouch | null {
    return this.book.synchronised ? netTouch(this.book, this.#ownInBook.shown, this.#touch) : null;
  }

  /**
   * The best price of one side without our own orders, whether or not the other is there, as an order meets it that is to stay behind it;
   * undefined when nobody is on it. What the book may only still show of ours counts: a touch too near costs a tick, one too far a fee.
   */
  best(side: Side, ownOrders: readonly OwnRestingOrder[]): Ticks | undefined {
    if (!this.book.synchronised) return undefined;
    const best = netBest(
      side === "BUY" ? this.book.bids : this.book.asks,
      this.book.holdsOwnOrders ? ownOrders : NO_ORDERS,
    );
    return Number.isNaN(best) ? undefined : best;
  }

  /** Emits a view to the strategy. False when the market has no two sides without our own orders. */
  emitView(cause: DecisionCause, inputs: ViewInputs): boolean {
    const view = marketView({
      instrument: this.instrument,
      book: this.book,
      ownOrders: this.#ownInBook.shown,
      state: this.state,
      before: this.#lastView,
      sequence: this.#viewSequence + 1,
      timeMs: inputs.timeMs,
      cause,
      depthLevels: this.#options.depthLevels,
      positionLots: inputs.positionLots,
      equity: inputs.equity,
      maxPositionLots: this.maxPositionLots,
    });
    if (view === null) return false;
    this.#viewSequence = view.sequence;
    this.#lastView = view;
    this.state.startView();
    this.dirty = true;
    this.awaitingView = false;
    this.#options.calling?.(this.marketId);
    for (const viewer of this.#viewers) viewer.next(view);
    this.#options.calling?.(undefined);
    return true;
  }

  /** After each event: our own orders as they are now. `nowMs`: a clock that never steps back. */
  noteOwn(orders: OwnBookOrders, nowMs: Ms): void {
    if (this.book.holdsOwnOrders)
      this.#ownInBook.note(orders.inBook(this.marketId), this.book, nowMs);
  }

  /** Hot: whoever subscribes hears the views from then on. */
  #view$(): Observable<MarketView> {
    return new Observable((viewer) => {
      this.#viewers = [...this.#viewers, viewer];
      return () => {
        this.#viewers = this.#viewers.filter((other) => other !== viewer);
      };
    });
  }

  #ended(why: string, error?: { readonly thrown: unknown }): void {
    this.#subscription = undefined;
    this.#options.onStrategyEnd(why, error);
  }
}

const NO_ORDERS: readonly OwnRestingOrder[] = [];
