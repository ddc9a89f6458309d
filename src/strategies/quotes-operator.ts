import { defer, filter, map, type OperatorFunction } from "rxjs";
import type { MarketView } from "../market/view.js";
import type { QuotesIntent } from "./intent.js";
import { standsFor } from "./refresh.js";

/** What a quoting strategy computes from one view. */
export interface QuotingStep {
  /** The intent that the view asks for. */
  quotes(view: MarketView): QuotesIntent;
  /** Prices of the last intent may differ by so much, in ticks, and it still stands. */
  toleranceTicks(view: MarketView): number;
}

/**
 * The operator of a strategy that answers each view with quotes: emits only what the last intent does not already say.
 * @param start makes the step's state, once for each subscription.
 */
export function quotesOperator(start: () => QuotingStep): OperatorFunction<MarketView, QuotesIntent> {
  return (view$) =>
    defer(() => {
      const step = start();
      let last: QuotesIntent | undefined;
      return view$.pipe(
        map((view) => {
          const next = step.quotes(view);
          if (standsFor(last, next, view, step.toleranceTicks(view))) return undefined;
          last = next;
          return next;
        }),
        filter((intent) => intent !== undefined),
      );
    });
}
