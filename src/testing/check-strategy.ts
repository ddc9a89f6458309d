import type { Strategy } from "../strategies/strategy.js";
import { type BacktestStrategyOptions, backtestStrategy } from "./backtest-strategy.js";
import { findAcceptedParams } from "./find-accepted-params.js";
import { findInvalidIntents } from "./find-invalid-intents.js";
import { findLookAhead } from "./find-look-ahead.js";
import { findNondeterminism } from "./find-nondeterminism.js";
import type { StrategyFinding } from "./strategy-finding.js";

/** Options of {@link checkStrategy}. */
export interface CheckStrategyOptions extends BacktestStrategyOptions {
  readonly strategy: Strategy;
  /** Values of `params` that are wrong, each of which the strategy should refuse. */
  readonly wrongParams?: readonly unknown[];
}

/**
 * Makes every check of this kit on a capture: the views of a backtest of the strategy are those of
 * {@link findInvalidIntents}, {@link findNondeterminism} and {@link findLookAhead}.
 * @throws ConfigError for parameters or values that do not fit; RunError if the strategy fails
 * @example
 * ```ts
 * import { defineStrategy, quoteAround } from "marketwright";
 * import { checkStrategy, generateCapture } from "marketwright/testing";
 * import { map } from "rxjs";
 * import { z } from "zod";
 *
 * const strategy = defineStrategy({
 *   params: z.object({ halfSpreadBps: z.number().positive() }),
 *   create:
 *     ({ halfSpreadBps }) =>
 *     (view$) =>
 *       view$.pipe(
 *         map((view) => quoteAround(view, view.microPrice, { halfSpreadBps, sizeBase: 0.01 })),
 *       ),
 * });
 * const findings = await checkStrategy({
 *   strategy,
 *   params: { halfSpreadBps: 1 },
 *   wrongParams: [{}, { halfSpreadBps: 0 }],
 *   capture: generateCapture({ seconds: 20 }),
 * });
 * findings; // => []
 * ```
 */
export async function checkStrategy(options: CheckStrategyOptions): Promise<StrategyFinding[]> {
  const { strategy, wrongParams = [], ...backtest } = options;
  const { params, seed = 1, capture } = backtest;
  const { views } = await backtestStrategy(strategy, backtest);
  const checked = { strategy, params, views, seed };
  return [
    ...findAcceptedParams({ strategy, wrongParams, instrument: capture.instrument }),
    ...(await findInvalidIntents(checked)),
    ...(await findNondeterminism(checked)),
    ...(await findLookAhead(checked)),
  ];
}
