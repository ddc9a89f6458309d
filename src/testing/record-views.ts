import { ignoreElements, mergeWith, NEVER, tap } from "rxjs";
import type { MarketView } from "../market/view.js";
import type { BoundStrategy } from "../strategies/strategy.js";
import { type BacktestStrategyOptions, backtestBound } from "./backtest-strategy.js";

/** Options of {@link recordViews}. */
export interface RecordViewsOptions extends Omit<BacktestStrategyOptions, "params"> {
  /** Levels on each side of a view; 20 if absent. */
  readonly viewLevels?: number;
}

/**
 * Makes the views that a bot gives a strategy on a capture, at the bot's decision points. Nothing
 * is quoted, so the position is 0. The views of a strategy that trades are in the result of
 * {@link backtestStrategy}.
 * @throws ConfigError for values that do not fit
 * @example
 * ```ts
 * import { generateCapture, recordViews } from "marketwright/testing";
 *
 * const capture = generateCapture({ seconds: 30 });
 * const views = await recordViews({ capture, bot: { decide: { everyMs: 1000 } } });
 * views.length > 30; // => true
 * views.every(({ positionLots }) => positionLots === 0); // => true
 * ```
 */
export async function recordViews(options: RecordViewsOptions): Promise<readonly MarketView[]> {
  const { viewLevels, ...backtest } = options;
  const views: MarketView[] = [];
  const bound: BoundStrategy = () => (view$) =>
    view$.pipe(
      tap((view) => views.push(view)),
      ignoreElements(),
      // A strategy that completed would halt its market.
      mergeWith(NEVER),
    );
  const strategy = Object.assign(bound, { viewLevels, params: {} });
  const { failure } = await backtestBound(strategy, backtest);
  if (failure !== undefined) throw failure;
  return views;
}
