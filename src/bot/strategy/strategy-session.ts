import { isObservable, Observable, type Subscriber, Subscription } from "rxjs";
import { describeThrown } from "../../core/describe-thrown.js";
import type { MarketId } from "../../core/units.js";
import type { MarketView } from "../../market/view.js";
import type { Intent } from "../../strategies/intent.js";
import { ParamsChannel } from "../../strategies/params-changes.js";
import type { BoundStrategy, InventoryPlan, StrategyContext } from "../../strategies/strategy.js";
import { type IntentPreview, previewStrategy, toTrialContext } from "./preview-strategy.js";

/** Dependencies of a {@link StrategySession}. */
export interface StrategySessionDeps {
  readonly marketId: MarketId;
  /** Undefined in a market without quotes. */
  readonly strategy: BoundStrategy | undefined;
  readonly context: StrategyContext;
  /**
   * Called with the market whose strategy is being called, and with undefined once it has returned.
   */
  readonly onStrategyCall?: ((marketId: MarketId | undefined) => void) | undefined;
}

/** Receives the output of strategies. */
export interface StrategyListener {
  emitted(marketId: MarketId, intent: Intent): void;
  /**
   * The strategy threw, or ended. The listener halts its market (docs/ideas/design.md#strategies).
   */
  ended(marketId: MarketId, why: string, error?: { readonly thrown: unknown }): void;
}

/** The subscription to the strategy of one market: views go in, intents come out. */
export class StrategySession {
  readonly #deps: StrategySessionDeps;
  #strategy: BoundStrategy | undefined;
  /** The followers of the newest start. */
  #channel = new ParamsChannel();
  /**
   * Several if the strategy subscribes several times. Replaced at each change, so that a list does
   * not change during its iteration.
   */
  #viewers: readonly Subscriber<MarketView>[] = [];
  #started:
    | { readonly subscription: Subscription; readonly listener: StrategyListener }
    | undefined;

  constructor(deps: StrategySessionDeps) {
    this.#deps = deps;
    this.#strategy = deps.strategy;
  }

  /** The strategy with its present parameters; undefined in a market without quotes. */
  get strategy(): BoundStrategy | undefined {
    return this.#strategy;
  }

  /** The position that the strategy plans to hold at each price; undefined if it plans none. */
  get inventoryPlan(): InventoryPlan | undefined {
    return this.#strategy?.inventoryPlan?.(toTrialContext(this.#deps.context));
  }

  /** True if the running strategy goes on with new parameters. */
  get isFollowing(): boolean {
    return this.running && this.#channel.isFollowed;
  }

  /**
   * Goes on with other parameters. False if the strategy does not follow them: it has to be started
   * again, unless it does not run.
   */
  update(strategy: BoundStrategy): boolean {
    const { onStrategyCall, marketId } = this.#deps;
    const isSameOperator = this.#isSameOperator(strategy);
    this.#strategy = strategy;
    if (this.#started === undefined) return true;
    if (!this.#channel.isFollowed || !isSameOperator) return false;
    const { listener } = this.#started;
    onStrategyCall?.(marketId);
    try {
      this.#channel.apply(strategy.params);
    } catch (error) {
      this.stop();
      this.#ended(listener, `strategy failed at its new parameters: ${describeThrown(error)}`, {
        thrown: error,
      });
    }
    onStrategyCall?.(undefined);
    return true;
  }

  /**
   * Creates the strategy's operator without starting it. @throws whatever it throws for parameters
   * that it does not accept
   */
  tryStrategy(strategy: BoundStrategy): void {
    const { onStrategyCall, marketId, context } = this.#deps;
    onStrategyCall?.(marketId);
    try {
      strategy(toTrialContext(context));
    } finally {
      onStrategyCall?.(undefined);
    }
  }

  /** The intent for a view by other parameters, without any effect on the running strategy. */
  preview(strategy: BoundStrategy, view: MarketView): IntentPreview {
    const { onStrategyCall, marketId } = this.#deps;
    onStrategyCall?.(marketId);
    const preview = previewStrategy({
      strategy,
      view,
      context: this.#deps.context,
      ask: this.isFollowing && this.#isSameOperator(strategy) ? this.#channel.preview : undefined,
    });
    onStrategyCall?.(undefined);
    return preview;
  }

  /** False if only one of the two has parts: a running operator does not gain or lose them. */
  #isSameOperator({ hasParts = false }: BoundStrategy): boolean {
    return (this.#strategy?.hasParts ?? false) === hasParts;
  }

  get running(): boolean {
    return this.#started !== undefined;
  }

  /** Subscribes to the strategy; stop a running one first. */
  start(listener: StrategyListener): void {
    const { onStrategyCall, marketId } = this.#deps;
    const strategy = this.#strategy;
    if (strategy === undefined) return;
    this.#viewers = [];
    this.#channel = new ParamsChannel();
    onStrategyCall?.(marketId);
    this.#subscribe(strategy, listener);
    onStrategyCall?.(undefined);
  }

  /** Emits a view to the strategy. */
  emitView(view: MarketView): void {
    const { onStrategyCall, marketId } = this.#deps;
    onStrategyCall?.(marketId);
    for (const viewer of this.#viewers) viewer.next(view);
    onStrategyCall?.(undefined);
  }

  stop(): void {
    if (this.#started === undefined) return;
    const { subscription, listener } = this.#started;
    this.#started = undefined;
    try {
      subscription.unsubscribe();
    } catch (error) {
      this.#ended(listener, `strategy failed as it was stopped: ${describeThrown(error)}`, {
        thrown: error,
      });
    }
  }

  #subscribe(strategy: BoundStrategy, listener: StrategyListener): void {
    const subscription = new Subscription();
    this.#started = { subscription, listener };
    try {
      const intents = this.#views().pipe(strategy(this.#deps.context, this.#channel));
      if (!isObservable(intents))
        return this.#ended(
          listener,
          "strategy failed to start: its operator did not return an Observable",
          { thrown: intents },
        );
      // A strategy that ended, or was stopped, during the subscription is unsubscribed at once.
      subscription.add(
        intents.subscribe({
          next: (intent) => listener.emitted(this.#deps.marketId, intent),
          error: (error: unknown) =>
            this.#ended(listener, `strategy failed: ${describeThrown(error)}`, { thrown: error }),
          complete: () => this.#ended(listener, "strategy completed"),
        }),
      );
    } catch (error) {
      this.#ended(listener, `strategy failed to start: ${describeThrown(error)}`, {
        thrown: error,
      });
    }
  }

  /** Hot: a subscriber receives the views from then on. */
  #views(): Observable<MarketView> {
    return new Observable((viewer) => {
      this.#viewers = [...this.#viewers, viewer];
      return () => {
        this.#viewers = this.#viewers.filter((other) => other !== viewer);
      };
    });
  }

  #ended(listener: StrategyListener, why: string, error?: { readonly thrown: unknown }): void {
    this.#started = undefined;
    listener.ended(this.#deps.marketId, why, error);
  }
}
