import { type BacktestStrategyOptions, observeBacktest } from "./backtest-strategy.js";
import type { Capture } from "./capture.js";
import { findAcceptedParams } from "./find-accepted-params.js";
import { findInvalidIntents } from "./find-invalid-intents.js";
import { findLookAhead, type StrategyFrom } from "./find-look-ahead.js";
import { findNondeterminism, nondeterminismFindings } from "./find-nondeterminism.js";
import { findChangedIntent } from "./play-views.js";
import type { StrategyFinding } from "./strategy-finding.js";
import { watchGlobals } from "./watch-globals.js";

/** Options of {@link checkStrategy}. */
export interface CheckStrategyOptions extends BacktestStrategyOptions {
  /**
   * A function gets the capture that a run has. A strategy whose signals are computed of the whole
   * capture beforehand is made there.
   */
  readonly strategy: StrategyFrom<Capture>;
  /** Values of `params` that are wrong, each of which the strategy should refuse. */
  readonly wrongParams?: readonly unknown[];
  /** Number of cutoffs of {@link findLookAhead}; 20 if absent. */
  readonly cuts?: number;
}

/**
 * Makes every check of this kit on a capture. The strategy is backtested twice, and the intents of
 * both runs must be the same. The views of the first are those of {@link findInvalidIntents},
 * {@link findNondeterminism} and {@link findLookAhead}. A strategy that fails is a finding.
 *
 * State that the module of the strategy keeps is seen only if no run of this process has set it
 * before. Causes come first: look-ahead is checked once runs repeat.
 * @throws ConfigError for parameters or values that do not fit, or without an intent
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
  const { strategy, wrongParams = [], cuts, ...backtest } = options;
  const { params, seed = 1, capture } = backtest;
  const makeStrategy = () => (typeof strategy === "function" ? strategy(capture) : strategy);
  // Before any other run of the strategy, which would set what its module keeps.
  const { result: first, uses } = await watchGlobals(() =>
    observeBacktest(makeStrategy(), backtest),
  );
  const second = await observeBacktest(makeStrategy(), backtest);
  const made = makeStrategy();
  const accepted = findAcceptedParams({
    strategy: made,
    wrongParams,
    instrument: capture.instrument,
  });
  const unrepeated = nondeterminismFindings(uses, findChangedIntent(first.intents, second.intents));
  const failed: StrategyFinding[] =
    first.failure === undefined ? [] : [{ check: "failure", what: first.failure.message }];
  // It failed at its start.
  if (first.views.length === 0 && failed.length > 0) return [...unrepeated, ...failed, ...accepted];

  const checked = { strategy: made, params, views: first.views, seed };
  const invalid = await findInvalidIntents(checked);
  // A strategy that failed in the same way on the views is in the findings already.
  const faults = [...invalid, ...(invalid.length > 0 ? [] : failed)];
  if (unrepeated.length > 0) return [...unrepeated, ...faults, ...accepted];

  const again = await findNondeterminism(checked);
  const causes = again.filter(({ check }) => check !== "failure");
  const fails = first.failure !== undefined || faults.some(({ check }) => check === "failure");
  if (causes.length > 0 || fails) return [...causes, ...faults, ...accepted];

  const drawn = cuts === undefined ? {} : { cuts };
  const looked =
    typeof strategy === "function"
      ? await findLookAhead({ ...backtest, ...drawn, strategy })
      : await findLookAhead({ ...checked, ...drawn });
  return [...faults, ...looked, ...accepted];
}
