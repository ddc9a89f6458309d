import { failureFinding, type PlayViewsOptions, playViews } from "./play-views.js";
import { keepFirstFindings, type StrategyFinding } from "./strategy-finding.js";
import type { EmittedIntent } from "./strategy-harness.js";

/** Options of {@link findInvalidIntents}. */
export type FindInvalidIntentsOptions = PlayViewsOptions;

/**
 * Finds the intents that a bot would refuse: prices that are not whole ticks, sizes that are not
 * whole lots, crossed quotes, two quotes of one level. A strategy that throws or completes is found
 * too, for example because it changed a view, which is frozen. Intents that are refused for one
 * reason are one finding, with their number.
 * @throws ConfigError for parameters that the strategy does not accept, or without a view
 * @example
 * ```ts
 * import { defineStrategy } from "marketwright";
 * import { findInvalidIntents, makeView } from "marketwright/testing";
 * import { map } from "rxjs";
 * import { z } from "zod";
 *
 * const strategy = defineStrategy({
 *   params: z.object({}),
 *   create: (_params, { marketId }) => (view$) =>
 *     view$.pipe(
 *       map(({ sequence, midTicks }) => ({
 *         kind: "quotes" as const,
 *         marketId,
 *         viewSequence: sequence,
 *         quotes: [{ side: "BUY" as const, level: 0, ticks: midTicks - 5, lots: 1 }],
 *         reason: {
 *           fairTicks: midTicks,
 *           reservationTicks: midTicks,
 *           halfSpreadTicks: 5,
 *           terms: {},
 *           clamps: [],
 *         },
 *       })),
 *     ),
 * });
 * const views = [makeView({ bids: [[59_999.9, 1]], asks: [[60_000, 1]] })];
 * const [finding] = await findInvalidIntents({ strategy, params: {}, views });
 * finding?.what.startsWith("quote BUY 0: ticks is 599994.5: expected a whole number"); // => true
 * ```
 */
export async function findInvalidIntents(
  options: FindInvalidIntentsOptions,
): Promise<StrategyFinding[]> {
  const played = await playViews(options);
  const refused = keepFirstFindings(refusalFindings(played.emitted), "reasons of refused intents");
  return [...refused, ...failureFinding(played)];
}

function refusalFindings(emitted: readonly EmittedIntent[]): StrategyFinding[] {
  const byReason = new Map<string, EmittedIntent[]>();
  for (const intent of emitted) {
    if (intent.refusal === undefined) continue;
    // The same reason with other prices and sizes.
    const reason = intent.refusal.why.replaceAll(/-?\d+(\.\d+)?(e[+-]\d+)?/g, "#");
    byReason.set(reason, [...(byReason.get(reason) ?? []), intent]);
  }
  return [...byReason.values()].map((alike): StrategyFinding => {
    const [{ refusal, afterView, timeMs }] = alike;
    const more = alike.length > 1 ? `; ${alike.length - 1} more intents likewise` : "";
    const what = `${refusal?.why}${more}`;
    return { check: "invalid-intent", what, viewSequence: afterView, timeMs };
  });
}
