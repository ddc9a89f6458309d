import { defer, filter, finalize, map, type OperatorFunction } from "rxjs";
import type { MarketView } from "../market/view.js";
import type { Quote, QuotesIntent } from "./intent.js";
import type { ParamsChanges } from "./params-changes.js";
import { hasQuotingBounds, type QuotingBounds, toQuotingBounds } from "./shape-quotes.js";

/**
 * Inputs that a step derives from a view and the earlier ones: numbers, and objects that are
 * replaced whenever they change.
 */
export type StepInputs = readonly unknown[];

/**
 * Quotes and the reason for them, which is computed only if they are emitted: an intent without
 * market and view.
 */
export interface QuoteResult extends Pick<QuotesIntent, "quotes"> {
  readonly reason: () => QuotesIntent["reason"];
}

/**
 * The computation of a quoting strategy for one view. It depends on its bounds and its basis alone,
 * so that the quotes are recomputed whenever either changes.
 */
export interface QuotingStep<B extends StepInputs> {
  /** Observes a view. Called once for each view, in order. */
  observe(view: MarketView): B;
  /**
   * Quotes that do not cross the touch. Called only if the bounds or the basis differ from those of
   * the previous view.
   */
  quotes(room: QuotingBounds, basis: B): QuoteResult;
  /** Price tolerance in ticks within which the last intent is kept. */
  toleranceTicks(basis: B): number;
}

/** A step whose parameters may change while it runs. */
export interface AdjustableStep<B extends StepInputs, Params> extends QuotingStep<B> {
  /** The basis of the newest view, or of one like it, without observing it again. */
  basisFor(view: MarketView): B;
  /**
   * The same computation by other parameters. Both share the estimates whose own settings are the
   * same; the others begin anew.
   */
  withParams(params: Params): AdjustableStep<B, Params>;
}

/** The operator of a step whose parameters may change while it runs. */
export function adjustableQuotes<B extends StepInputs, Params>(
  start: () => AdjustableStep<B, Params>,
  changes: ParamsChanges<Params>,
): OperatorFunction<MarketView, QuotesIntent> {
  return (view$) =>
    defer(() => {
      let adjustable = start();
      const kept: KeptQuotes = { quotes: undefined };
      const stop = changes.follow({
        apply: (params) => {
          adjustable = adjustable.withParams(params);
        },
        preview: (params, view) => {
          const step = adjustable.withParams(params);
          const bounds = toQuotingBounds(view);
          const basis = step.basisFor(view);
          const result = step.quotes(bounds, basis);
          return canKeepQuotes(kept.quotes, result.quotes, bounds, step.toleranceTicks(basis))
            ? undefined
            : intentFor(view, result);
        },
      });
      return view$.pipe(
        quotesOf(() => adjustable, kept),
        finalize(stop),
      );
    });
}

/**
 * The operator of a strategy that answers each view with quotes. It emits quotes only if they
 * differ from the last intent.
 * @param start creates the step's state, once for each subscription
 */
export function quotesOperator<B extends StepInputs>(
  start: () => QuotingStep<B>,
): OperatorFunction<MarketView, QuotesIntent> {
  return (view$) =>
    defer(() => {
      const step = start();
      return view$.pipe(quotesOf(() => step));
    });
}

function intentFor(view: MarketView, { quotes, reason }: QuoteResult): QuotesIntent {
  return {
    kind: "quotes",
    marketId: view.marketId,
    viewSequence: view.sequence,
    quotes,
    reason: reason(),
  };
}

/** The quotes of the last intent; undefined before the first. */
interface KeptQuotes {
  quotes: readonly Quote[] | undefined;
}

/** Quotes by the step that is in force at each view. */
function quotesOf<B extends StepInputs>(
  stepNow: () => QuotingStep<B>,
  kept: KeptQuotes = { quotes: undefined },
): OperatorFunction<MarketView, QuotesIntent> {
  return (view$) =>
    defer(() => {
      let before: QuotingStep<B> | undefined;
      let room: QuotingBounds | undefined;
      let basis: StepInputs = [];
      return view$.pipe(
        map((view): QuotesIntent | undefined => {
          const newRoom =
            room !== undefined && hasQuotingBounds(view, room) ? room : toQuotingBounds(view);
          const step = stepNow();
          const newBasis = step.observe(view);
          const isKnown = newRoom === room && step === before && isSame(basis, newBasis);
          before = step;
          room = newRoom;
          basis = newBasis;
          // The quotes would be those of the previous view. They were emitted then, or the last
          // intent was kept in their place, as now.
          if (isKnown) return undefined;
          const result = step.quotes(newRoom, newBasis);
          const { quotes } = result;
          const toleranceTicks = step.toleranceTicks(newBasis);
          if (canKeepQuotes(kept.quotes, quotes, newRoom, toleranceTicks)) return undefined;
          kept.quotes = quotes;
          return intentFor(view, result);
        }),
        filter((intent) => intent !== undefined),
      );
    });
}

/** Compares inputs; NaN equals nothing. */
function isSame(before: StepInputs, now: StepInputs): boolean {
  if (before.length !== now.length) return false;
  for (let at = 0; at < now.length; at++) if (before[at] !== now[at]) return false;
  return true;
}

/**
 * Returns true if the quotes of the last intent can be kept instead of the new ones: the same slots
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
    const resting = last[at];
    if (
      resting.side !== wanted.side ||
      resting.level !== wanted.level ||
      resting.lots !== wanted.lots
    )
      return false;
    if (!(Math.abs(resting.ticks - wanted.ticks) <= toleranceTicks)) return false;
    if (resting.side === "BUY" ? resting.ticks >= touch.askTicks : resting.ticks <= touch.bidTicks)
      return false;
  }
  return true;
}
