import { defer, filter, map, type OperatorFunction } from "rxjs";
import type { MarketView } from "../market/view.js";
import type { QuotesIntent } from "./intent.js";
import { standsFor } from "./refresh.js";

/** What a step has taken from a view, and from those before it. */
export interface Observed {
  /** The numbers that quotes and tolerance follow from: all of them, and those that time alone changes too. */
  readonly basis: readonly number[];
}

/** What a quoting strategy computes from one view. */
export interface QuotingStep<Seen extends Observed = Observed> {
  /** Takes a view in: each once, in their order. */
  observe(view: MarketView): Seen;
  /** The intent that a view asks for, whose quotes do not cross its touch. Asked for only where the basis is another than that of the view before. */
  quotes(view: MarketView, seen: Seen): QuotesIntent;
  /** Prices of the last intent may differ by so much, in ticks, and it still stands. */
  toleranceTicks(view: MarketView): number;
}

/**
 * The operator of a strategy that answers each view with quotes: emits only what the last intent does not already say.
 * @param start makes the step's state, once for each subscription.
 */
export function quotesOperator<Seen extends Observed>(start: () => QuotingStep<Seen>): OperatorFunction<MarketView, QuotesIntent> {
  return (view$) =>
    defer(() => {
      const step = start();
      let basis: readonly number[] = [];
      let last: QuotesIntent | undefined;
      return view$.pipe(
        map((view) => {
          const seen = step.observe(view);
          const before = basis;
          basis = seen.basis;
          // The quotes would be those of the view before: they were emitted then, or the last intent stood in their place, as it does now.
          if (isSame(before, basis)) return undefined;
          const next = step.quotes(view, seen);
          if (standsFor(last, next, view, step.toleranceTicks(view))) return undefined;
          last = next;
          return next;
        }),
        filter((intent) => intent !== undefined),
      );
    });
}

/** What is no number is never the same. */
function isSame(before: readonly number[], now: readonly number[]): boolean {
  if (before.length !== now.length) return false;
  for (let at = 0; at < now.length; at++) if (before[at] !== now[at]) return false;
  return true;
}
