import { defer, filter, map, type OperatorFunction } from "rxjs";
import type { MarketView } from "../market/view.js";
import type { Quote, QuotesIntent } from "./intent.js";
import { hasQuotingBounds, type QuotingBounds, toQuotingBounds } from "./shape-quotes.js";

/** What a step has taken from a view and those before it: numbers, and values that another one replaces when anything of them changes. */
export type StepInputs = readonly unknown[];

/** Quotes, and why they are what they are, asked for only where they are emitted: an intent but for the market and the view. */
export interface QuoteResult extends Pick<QuotesIntent, "quotes"> {
  readonly reason: () => QuotesIntent["reason"];
}

/** What a quoting strategy computes from one view: of its room and its basis alone, so that neither can change without the quotes being computed anew. */
export interface QuotingStep<B extends StepInputs> {
  /** Takes a view in: each once, in their order. */
  observe(view: MarketView): B;
  /** Quotes that do not cross the touch. Asked for only where the room or the basis is another than at the view before. */
  quotes(room: QuotingBounds, basis: B): QuoteResult;
  /** Prices of the last intent may differ by so much, in ticks, and it still stands. */
  toleranceTicks(basis: B): number;
}

/**
 * The operator of a strategy that answers each view with quotes: emits only what the last intent does not already say.
 * @param start makes the step's state, once for each subscription.
 */
export function quotesOperator<B extends StepInputs>(
  start: () => QuotingStep<B>,
): OperatorFunction<MarketView, QuotesIntent> {
  return (view$) =>
    defer(() => {
      const step = start();
      let room: QuotingBounds | undefined;
      let basis: StepInputs = [];
      let last: readonly Quote[] | undefined;
      return view$.pipe(
        map((view): QuotesIntent | undefined => {
          const newRoom =
            room !== undefined && hasQuotingBounds(view, room) ? room : toQuotingBounds(view);
          const newBasis = step.observe(view);
          const isKnown = newRoom === room && isSame(basis, newBasis);
          room = newRoom;
          basis = newBasis;
          // The quotes would be those of the view before: they were emitted then, or the last intent stood in their place, as it does now.
          if (isKnown) return undefined;
          const { quotes, reason } = step.quotes(newRoom, newBasis);
          if (canKeepQuotes(last, quotes, newRoom, step.toleranceTicks(newBasis))) return undefined;
          last = quotes;
          return {
            kind: "quotes",
            marketId: view.marketId,
            viewSequence: view.sequence,
            quotes,
            reason: reason(),
          };
        }),
        filter((intent) => intent !== undefined),
      );
    });
}

/** What is no number is never the same. */
function isSame(before: StepInputs, now: StepInputs): boolean {
  if (before.length !== now.length) return false;
  for (let at = 0; at < now.length; at++) if (before[at] !== now[at]) return false;
  return true;
}

/**
 * Whether the quotes of the last intent may stand in place of the new ones, so that nothing need be emitted: the same slots
 * and sizes, every price within the tolerance, and none that would cross the touch.
 */
export function canKeepQuotes(
  last: readonly Quote[] | undefined,
  next: readonly Quote[],
  touch: Pick<QuotingBounds, "bidTicks" | "askTicks">,
  toleranceTicks: number,
): boolean {
  if (last === undefined || last.length !== next.length) return false;
  for (let at = 0; at < next.length; at++) {
    const wanted = next[at];
    const standing = last[at];
    if (
      standing.side !== wanted.side ||
      standing.level !== wanted.level ||
      standing.lots !== wanted.lots
    )
      return false;
    if (!(Math.abs(standing.ticks - wanted.ticks) <= toleranceTicks)) return false;
    if (
      standing.side === "BUY" ? standing.ticks >= touch.askTicks : standing.ticks <= touch.bidTicks
    )
      return false;
  }
  return true;
}
