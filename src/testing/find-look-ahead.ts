import {
  type ChangedDecision,
  type Decision,
  decisionText,
  findChangedDecision,
} from "../backtest/run/compare-decisions.js";
import { ConfigError } from "../core/errors.js";
import { seededRandom } from "../core/runtime/seeded-random.js";
import type { Ms } from "../core/units.js";
import type { MarketView } from "../market/view.js";
import type { Strategy } from "../strategies/strategy.js";
import {
  type BacktestedIntent,
  type BacktestStrategyOptions,
  backtestStrategy,
} from "./backtest-strategy.js";
import type { Capture } from "./capture.js";
import { differingParts } from "./differing-parts.js";
import { nondeterminismFindings } from "./find-nondeterminism.js";
import { findChangedIntent, playViews } from "./play-views.js";
import type { StrategyFinding } from "./strategy-finding.js";

/** A strategy, or a function that makes one of the data that it may use. */
export type StrategyFrom<Data> = Strategy | ((data: Data) => Strategy);

/** Options of {@link findLookAhead} on views. */
export interface ViewsLookAheadOptions {
  /**
   * A function gets the views that a run has. A strategy whose signals are computed of all views
   * beforehand is made there.
   */
  readonly strategy: StrategyFrom<readonly MarketView[]>;
  /** As under `params` of a bot's file. */
  readonly params: unknown;
  readonly views: readonly MarketView[];
  /** Of `context.random` and the cutoffs; `1` if absent. */
  readonly seed?: string | number;
  /** Number of cutoffs; 20 if absent. */
  readonly cuts?: number;
}

/** Options of {@link findLookAhead} on a capture, by backtests. */
export interface CaptureLookAheadOptions extends BacktestStrategyOptions {
  /** A function gets the capture that a run has. */
  readonly strategy: StrategyFrom<Capture>;
  /** Number of cutoffs; 20 if absent. */
  readonly cuts?: number;
}

const CUTS = 20;
/** Added to the prices after a cutoff, as a fraction. */
const MOVE = 0.05;

/**
 * Finds decisions that depend on later data. The strategy is run on everything, then again for some
 * randomly drawn views with everything after them left out, and once more with it altered. Every
 * intent up to the cutoff must be the same, to the byte. The finding has the first cutoff at which
 * one differs. If a second run on everything already differs, the finding is that: nondeterminism.
 *
 * A strategy gets one view after the other, so it can see the future only in data of its own.
 * Data that is made of the views or the capture is made in a function as `strategy`. Data that is
 * read from a file cannot be cut here: `findNondeterminism` names the read.
 * @throws ConfigError for parameters that the strategy does not accept, or without data; RunError
 * if the strategy fails
 * @example
 * ```ts
 * import { defineStrategy, type MarketView, quoteAround } from "marketwright";
 * import { findLookAhead, generateCapture, recordViews } from "marketwright/testing";
 * import { map } from "rxjs";
 * import { z } from "zod";
 *
 * // The mean of all mids is known only at the end.
 * const strategy = (views: readonly MarketView[]) => {
 *   const meanTicks = views.reduce((sum, view) => sum + view.midTicks, 0) / views.length;
 *   return defineStrategy({
 *     params: z.object({}),
 *     create: () => (view$) =>
 *       view$.pipe(map((view) => quoteAround(view, meanTicks, { halfSpreadBps: 5, sizeBase: 1 }))),
 *   });
 * };
 * const views = await recordViews({ capture: generateCapture({ seconds: 10 }) });
 * const findings = await findLookAhead({ strategy, params: {}, views, cuts: 3 });
 * findings[0]?.check; // => "look-ahead"
 * ```
 */
export async function findLookAhead(
  options: ViewsLookAheadOptions | CaptureLookAheadOptions,
): Promise<StrategyFinding[]> {
  return "views" in options ? inViews(options) : inCapture(options);
}

async function inViews(options: ViewsLookAheadOptions): Promise<StrategyFinding[]> {
  const { views, seed = 1, cuts = CUTS } = options;
  const whole = await emittedIn(options, views);
  const unrepeated = repeatFindings(whole, await emittedIn(options, views));
  if (unrepeated.length > 0) return unrepeated;
  const findings: StrategyFinding[] = [];
  const lengths = drawLengths(views.length, cuts, seed);
  for (const length of lengths) {
    const past = views.slice(0, length);
    const last = past.at(-1) as MarketView;
    const altered = [...past, ...views.slice(length).map(movedView)];
    for (const [what, data] of [
      ["without the views after it", past],
      ["with other views after it", altered],
    ] as const) {
      const isPast = (emitted: Emitted): boolean =>
        emitted.timeMs <= last.timeMs && emitted.afterView <= last.sequence;
      const known = whole.filter(isPast);
      const again = (await emittedIn(options, data)).filter(isPast);
      const changed = findChangedDecision(
        known.map(toDecision),
        again.map(toDecision),
        Number.POSITIVE_INFINITY,
      );
      if (changed === undefined) continue;
      const viewSequence = known.find(
        ({ timeMs, text }) => timeMs * 1000 === changed.atUs && text === changed.whole,
      )?.afterView;
      findings.push(lookAheadFinding(changed, what, last.timeMs, viewSequence));
      break;
    }
  }
  return firstOf(findings, lengths.length);
}

/** An intent with its text, its time, and the newest view at that time. */
interface Emitted extends BacktestedIntent {
  readonly text: string;
}

function withText({ timeMs, afterView, intent }: BacktestedIntent): Emitted {
  return { timeMs, afterView, intent, text: decisionText(intent) };
}

/** State that a run keeps for the next one, which would look like a view of the future. */
function repeatFindings(whole: readonly Emitted[], again: readonly Emitted[]): StrategyFinding[] {
  return nondeterminismFindings([], findChangedIntent(whole, again));
}

async function emittedIn(
  { strategy, params, seed = 1 }: ViewsLookAheadOptions,
  views: readonly MarketView[],
): Promise<readonly Emitted[]> {
  const made = typeof strategy === "function" ? strategy(views) : strategy;
  const { emitted, failure } = await playViews({ strategy: made, params, views, seed });
  if (failure !== undefined) throw failure;
  return emitted.map(withText);
}

async function inCapture(options: CaptureLookAheadOptions): Promise<StrategyFinding[]> {
  const { capture, seed = 1, cuts = CUTS, strategy, ...run } = options;
  const intentsIn = async (data: Capture): Promise<readonly Emitted[]> => {
    const made = typeof strategy === "function" ? strategy(data) : strategy;
    const { intents } = await backtestStrategy(made, { ...run, seed, capture: data });
    return intents.map(withText);
  };
  const whole = await intentsIn(capture);
  const unrepeated = repeatFindings(whole, await intentsIn(capture));
  if (unrepeated.length > 0) return unrepeated;
  const findings: StrategyFinding[] = [];
  const lengths = drawLengths(whole.length, cuts, seed);
  for (const length of lengths) {
    const { timeMs: lastMs } = whole[length - 1] as Emitted;
    // Data of the decision's own millisecond was available to it.
    const again = await intentsIn(capture.before(lastMs + 1));
    const changed = findChangedDecision(
      whole.map(toDecision),
      again.map(toDecision),
      lastMs * 1000,
    );
    if (changed === undefined) continue;
    const viewSequence = whole.find(
      ({ timeMs, text }) => timeMs * 1000 === changed.atUs && text === changed.whole,
    )?.afterView;
    findings.push(lookAheadFinding(changed, "without the history after it", lastMs, viewSequence));
  }
  return firstOf(findings, lengths.length);
}

/** Lengths of the past, ascending, each once. */
function drawLengths(all: number, cuts: number, seed: string | number): number[] {
  if (all === 0)
    throw new ConfigError("has no decision: nothing would be checked", {
      field: "strategy",
      expected: "a strategy that emits an intent on this data",
    });
  if (!Number.isSafeInteger(cuts) || cuts < 1)
    throw new ConfigError("is not a number of cutoffs", {
      field: "cuts",
      value: cuts,
      expected: "a whole number above 0",
    });
  const random = seededRandom(`look-ahead ${seed}`);
  const drawn = new Set<number>();
  while (drawn.size < Math.min(cuts, all)) drawn.add(1 + Math.floor(random.uniform() * all));
  return [...drawn].sort((a, b) => a - b);
}

function toDecision({ timeMs, text }: Emitted): Decision {
  return { atUs: timeMs * 1000, text };
}

/** One cause differs at most cutoffs: the first finding, with the number of the others. */
function firstOf([first, ...others]: readonly StrategyFinding[], cuts: number): StrategyFinding[] {
  if (first === undefined || others.length === 0) return first === undefined ? [] : [first];
  const what = `${first.what}; one differs at ${others.length + 1} of ${cuts} cutoffs`;
  return [{ ...first, what }];
}

function lookAheadFinding(
  { atUs, whole, cut }: ChangedDecision,
  what: string,
  cutMs: Ms,
  viewSequence: number | undefined,
): StrategyFinding {
  const [wanted, found] = differingParts(whole, cut);
  return {
    check: "look-ahead",
    what: `an intent before ${cutMs} differs ${what}`,
    ...(viewSequence === undefined ? {} : { viewSequence }),
    timeMs: atUs / 1000,
    wanted,
    found,
  };
}

/** The same view in a market that has moved. */
function movedView(view: MarketView): MarketView {
  const ticks = Math.ceil(view.midTicks * MOVE);
  const moved = (levels: MarketView["bids"]): MarketView["bids"] =>
    Object.freeze(levels.map((level) => Object.freeze({ ...level, ticks: level.ticks + ticks })));
  return Object.freeze({
    ...view,
    bids: moved(view.bids),
    asks: moved(view.asks),
    midTicks: view.midTicks + ticks,
    microPrice: view.microPrice + ticks,
    microPriceTicks: view.microPriceTicks + ticks,
    markTicks: view.markTicks + ticks,
    indexTicks: view.indexTicks + ticks,
    tradedHighTicks: view.tradedHighTicks + ticks,
    tradedLowTicks: view.tradedLowTicks + ticks,
  });
}
