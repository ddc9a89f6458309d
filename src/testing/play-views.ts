import { decisionText } from "../backtest/run/compare-decisions.js";
import { ConfigError, MarketwrightError, RunError } from "../core/errors.js";
import type { MarketView } from "../market/view.js";
import type { Strategy } from "../strategies/strategy.js";
import { differingParts } from "./differing-parts.js";
import type { StrategyFinding } from "./strategy-finding.js";
import { type EmittedIntent, StrategyHarness } from "./strategy-harness.js";

/** A strategy, and the views that a check gives it. */
export interface PlayViewsOptions {
  readonly strategy: Strategy;
  /** As under `params` of a bot's file. */
  readonly params: unknown;
  readonly views: readonly MarketView[];
  /** Of `context.random`; `1` if absent. */
  readonly seed?: string | number;
}

/** A strategy's whole run over views. */
export interface PlayedViews {
  readonly emitted: readonly EmittedIntent[];
  /** Why it ended before the last view; undefined if it did not. */
  readonly failure: RunError | undefined;
}

/**
 * Runs a strategy over views, each at its time.
 * @throws ConfigError for parameters that it does not accept, or without a view
 */
export async function playViews(options: PlayViewsOptions): Promise<PlayedViews> {
  const { strategy, params, views, seed = 1 } = options;
  const [first] = views;
  if (first === undefined)
    throw new ConfigError("is empty: nothing would be checked", {
      field: "views",
      expected: "at least one view",
    });
  const { instrument, timeMs: startMs } = first;
  let harness: StrategyHarness | undefined;
  try {
    harness = new StrategyHarness(strategy, { params, instrument, seed, startMs });
    await harness.play(views);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { emitted: harness?.emitted ?? [], failure: error };
  }
  harness.stop();
  return { emitted: harness.emitted, failure: undefined };
}

/** The failure of a run as a finding. */
export function failureFinding({ emitted, failure }: PlayedViews): StrategyFinding[] {
  if (failure === undefined) return [];
  const last = emitted.at(-1);
  return [
    {
      check: "failure",
      what: failure instanceof MarketwrightError ? failure.message : String(failure),
      ...(last === undefined ? {} : { viewSequence: last.afterView, timeMs: last.timeMs }),
    },
  ];
}

/** An intent, and when a strategy emitted it. */
type TimedIntent = Pick<EmittedIntent, "timeMs" | "afterView" | "intent">;

/** The first difference between two runs, as fields of a finding; undefined if there is none. */
export function findChangedIntent(
  whole: readonly TimedIntent[],
  other: readonly TimedIntent[],
): Omit<StrategyFinding, "check" | "what"> | undefined {
  for (let at = 0; at < Math.max(whole.length, other.length); at++) {
    const [one, two] = [whole[at], other[at]];
    const [wanted, found] = [textOf(one), textOf(two)];
    if (wanted === found && one?.timeMs === two?.timeMs && one?.afterView === two?.afterView)
      continue;
    const { afterView, timeMs } = (one ?? two) as TimedIntent;
    const [was, is] = differingParts(wanted, found);
    return { viewSequence: afterView, timeMs, wanted: was, found: is };
  }
  return undefined;
}

function textOf(emitted: TimedIntent | undefined): string {
  return emitted === undefined ? "nothing" : decisionText(emitted.intent);
}
