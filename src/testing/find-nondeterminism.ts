import type { MarketView } from "../market/view.js";
import {
  failureFinding,
  findChangedIntent,
  type PlayViewsOptions,
  playViews,
} from "./play-views.js";
import { keepFirstFindings, type StrategyFinding } from "./strategy-finding.js";
import { type GlobalUse, watchGlobals } from "./watch-globals.js";

/** Options of {@link findNondeterminism}. */
export type FindNondeterminismOptions = PlayViewsOptions;

/**
 * Finds what would make a backtest or a replay of a strategy differ from its live run. The strategy
 * is run twice on the same views with the same seed, the second time on copies of them. Its intents
 * must be the same, to the byte. Each use of the machine's clock, timers, randomness, network and
 * files is found too, with its place: `Date.now`, `Math.random`, `setTimeout`, `fetch` ... If there
 * is one, it is taken for the cause of a difference, which is then no finding of its own.
 * @throws ConfigError for parameters that the strategy does not accept, or without a view
 * @example
 * ```ts
 * import { defineStrategy, quoteAround } from "marketwright";
 * import { findNondeterminism, makeView } from "marketwright/testing";
 * import { map } from "rxjs";
 * import { z } from "zod";
 *
 * const strategy = defineStrategy({
 *   params: z.object({ sizeBase: z.number().positive() }),
 *   create:
 *     ({ sizeBase }) =>
 *     (view$) =>
 *       view$.pipe(
 *         map((view) =>
 *           quoteAround(view, view.midTicks, { halfSpreadBps: 5 + Math.random(), sizeBase }),
 *         ),
 *       ),
 * });
 * const views = [makeView({ bids: [[59_999.9, 1]], asks: [[60_000.1, 1]] })];
 * const findings = await findNondeterminism({ strategy, params: { sizeBase: 0.01 }, views });
 * findings.some(({ what }) => what.startsWith("Math.random is used")); // => true
 * ```
 */
export async function findNondeterminism(
  options: FindNondeterminismOptions,
): Promise<StrategyFinding[]> {
  const { result: first, uses } = await watchGlobals(() => playViews(options));
  const second = await playViews({ ...options, views: options.views.map(copyView) });
  const changed = findChangedIntent(first.emitted, second.emitted);
  return [...nondeterminismFindings(uses, changed), ...failureFinding(first)];
}

/**
 * The findings of two runs.
 * @param changed the first intent that differs; undefined if there is none
 */
export function nondeterminismFindings(
  uses: readonly GlobalUse[],
  changed: ReturnType<typeof findChangedIntent>,
): StrategyFinding[] {
  if (uses.length > 0) return keepFirstFindings(uses.map(useFinding), "uses of the machine");
  if (changed === undefined) return [];
  const what =
    "a second run with the same seed differs: something outlives a run, such as a variable of the" +
    " module";
  return [{ check: "nondeterminism", what, ...changed }];
}

function useFinding({ name, place }: GlobalUse): StrategyFinding {
  return {
    check: "nondeterminism",
    what: `${name} is used${place === undefined ? "" : ` (${place})`}: ${adviceFor(name)}`,
  };
}

function adviceFor(name: string): string {
  if (/^set/.test(name)) return "use an RxJS operator with context.scheduler";
  if (/^Math|^crypto/.test(name)) return "use context.random";
  if (/fetch|[rR]ead/.test(name)) return "a backtest cannot cut this data at the replayed time";
  return "use view.timeMs";
}

/** An equal view that shares no object with the first one but its market. */
function copyView(view: MarketView): MarketView {
  const levels = (side: MarketView["bids"]): MarketView["bids"] =>
    Object.freeze(side.map((level) => Object.freeze({ ...level })));
  return Object.freeze({ ...view, bids: levels(view.bids), asks: levels(view.asks) });
}
