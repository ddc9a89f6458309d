import { decisionText } from "../backtest/run/compare-decisions.js";
import { describeThrown } from "../core/describe-thrown.js";
import { ConfigError } from "../core/errors.js";
import type { Instrument } from "../core/instrument.js";
import type { Strategy } from "../strategies/strategy.js";
import type { StrategyFinding } from "./strategy-finding.js";
import { testStrategy } from "./strategy-harness.js";

/** Options of {@link findAcceptedParams}. */
export interface FindAcceptedParamsOptions {
  readonly strategy: Strategy;
  /** Values of `params` that are wrong, each of which the strategy should refuse. */
  readonly wrongParams: readonly unknown[];
  /** {@link TEST_INSTRUMENT} if absent. */
  readonly instrument?: Instrument;
}

/**
 * Finds the wrong parameters that a strategy accepts, or answers with another error than a
 * `ConfigError` naming the parameter.
 * @example
 * ```ts
 * import { defineStrategy, quoteAround } from "marketwright";
 * import { findAcceptedParams } from "marketwright/testing";
 * import { map } from "rxjs";
 * import { z } from "zod";
 *
 * const strategy = defineStrategy({
 *   params: z.object({ halfSpreadBps: z.number() }),
 *   create:
 *     ({ halfSpreadBps }) =>
 *     (view$) =>
 *       view$.pipe(
 *         map((view) => quoteAround(view, view.midTicks, { halfSpreadBps, sizeBase: 0.01 })),
 *       ),
 * });
 * const wrongParams = [{ halfSpreadBps: "wide" }, { halfSpreadBps: -5 }];
 * const findings = findAcceptedParams({ strategy, wrongParams });
 * findings.map(({ what }) => what); // => ['{"halfSpreadBps":-5} is accepted']
 * ```
 */
export function findAcceptedParams(options: FindAcceptedParamsOptions): StrategyFinding[] {
  const { strategy, wrongParams, instrument } = options;
  return wrongParams.flatMap((params): StrategyFinding[] => {
    const text = decisionText(params);
    try {
      testStrategy(strategy, {
        params,
        ...(instrument === undefined ? {} : { instrument }),
      }).stop();
    } catch (error) {
      const thrown = error instanceof ConfigError ? error : (error as Error).cause;
      // A factory may throw the error of another copy of the package.
      if (thrown instanceof Error && thrown.name === "ConfigError") return [];
      const why = describeThrown(thrown ?? error);
      return [{ check: "accepted-params", what: `${text} is not refused, but throws: ${why}` }];
    }
    return [{ check: "accepted-params", what: `${text} is accepted` }];
  });
}
