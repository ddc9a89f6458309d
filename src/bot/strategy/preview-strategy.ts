import { isObservable, of } from "rxjs";
import { describeThrown } from "../../core/describe-thrown.js";
import { createRxScheduler } from "../../core/runtime/rx-scheduler.js";
import { seededRandom } from "../../core/runtime/seeded-random.js";
import type { MarketView } from "../../market/view.js";
import type { Intent } from "../../strategies/intent.js";
import type { ParamsFollower } from "../../strategies/params-changes.js";
import type { BoundStrategy, StrategyContext } from "../../strategies/strategy.js";

/** A strategy's answer to a view by parameters that are not in force. */
export interface IntentPreview {
  /** Undefined if it gave none at once. */
  readonly intent: Intent | undefined;
  /** True if a new copy of the strategy answered, without the running one's estimates. */
  readonly isFromStart: boolean;
  /** Why it could not answer. */
  readonly problem?: string;
}

/** A strategy to preview. */
export interface PreviewOptions {
  readonly strategy: BoundStrategy;
  readonly view: MarketView;
  readonly context: StrategyContext;
  /** The running strategy's own preview; undefined if it has none. */
  readonly ask: ParamsFollower<unknown>["preview"];
}

/** Asks a strategy for its intent by other parameters, without any effect on the running one. */
export function previewStrategy({ strategy, view, context, ask }: PreviewOptions): IntentPreview {
  const isFromStart = ask === undefined;
  try {
    const intent =
      ask === undefined
        ? firstIntent(strategy, { ...view, cause: "start" }, context)
        : ask(strategy.params, view);
    return { intent, isFromStart };
  } catch (error) {
    return { intent: undefined, isFromStart, problem: describeThrown(error) };
  }
}

/** The last intent that a new copy of the strategy emits at once for its first view. */
function firstIntent(
  strategy: BoundStrategy,
  view: MarketView,
  context: StrategyContext,
): Intent | undefined {
  const intents = of(view).pipe(strategy(toTrialContext(context)));
  if (!isObservable(intents)) return undefined;
  let newest: Intent | undefined;
  let failure: { readonly thrown: unknown } | undefined;
  intents
    .subscribe({
      next: (intent) => {
        newest = intent;
      },
      error: (thrown: unknown) => {
        failure = { thrown };
      },
    })
    .unsubscribe();
  if (failure !== undefined) throw failure.thrown;
  return newest;
}

/**
 * A context for a copy of a strategy that only shows what it would do: its timers never fire, it
 * draws no number of the bot's, and its predictions do not count.
 */
export function toTrialContext(context: StrategyContext): StrategyContext {
  const atMs = context.scheduler.now();
  return Object.freeze({
    ...context,
    scheduler: createRxScheduler({
      nowMs: () => atMs,
      monotonicMs: () => atMs,
      setTimer: () => ({ cancel: () => {} }),
    }),
    random: seededRandom("preview"),
    predictMove: undefined,
  });
}
