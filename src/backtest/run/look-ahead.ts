import type { BotEvent } from "../../bot/engine/bot-event.js";
import { RunError } from "../../core/errors.js";
import { seededRandom } from "../../core/runtime/seeded-random.js";
import type { BacktestConfig } from "../config/backtest-config.js";
import type { Report } from "../report/report-schema.js";
import {
  type ChangedDecision,
  type Decision,
  decisionText,
  findChangedDecision,
} from "./compare-decisions.js";
import { type OpenedHistory, openHistory } from "./opening/open-history.js";
import { firstUs } from "./opening/opened-market.js";
import { type PlayPathOptions, playReport } from "./play-path.js";

/** The first decision that changed when the history after the cutoff was missing. */
export interface LookAhead extends ChangedDecision {
  /** The cutoff: the history ended there, microseconds since 1970. */
  readonly cutUs: number;
}

/** The result of a check. */
export interface LookAheadCheck {
  readonly decisions: number;
  readonly cuts: number;
  readonly changed: readonly LookAhead[];
  /**
   * Reasons why the run over the whole history is unusable, as in its report. The check then proves
   * nothing.
   */
  readonly worthless: Report["worthless"];
  /**
   * The first error of each market's strategy: of the run over the whole history, else of a
   * truncated one.
   */
  readonly strategyErrors: Report["strategyErrors"];
}

/** A run, with the fields that the check reads. */
interface PlayedOnce extends Pick<Report, "worthless" | "strategyErrors"> {
  readonly decisions: readonly Decision[];
}

/**
 * Proves that no decision depends on later data. The history is truncated after each of some
 * randomly drawn decisions and replayed again. Every decision before the cutoff must be the same,
 * to the byte (the idea of freqtrade's lookahead-analysis). Both clocks are truncated: data stamped
 * after the decision is gone, and for the bot also data stamped before it but not yet received.
 * Cutoffs are drawn after the warm-up and after the beginning of every market, since an earlier one
 * leaves nothing to run. Decisions before that time are compared all the same.
 * @param run its `onBotEvent` receives the run over the whole history, and none of the truncated
 * ones.
 * @param cuts number of decisions that are drawn.
 * @param onCut called before each.
 * @throws as `runBacktest` does; RunError when `run.onProgress` ended it
 */
export async function checkLookAhead(
  config: BacktestConfig,
  run: PlayPathOptions,
  cuts: number,
  onCut: (done: number) => void = ignore,
): Promise<LookAheadCheck> {
  let isInterrupted = false;
  const { onBotEvent, ...silent } = run;
  const watched: PlayPathOptions = {
    ...silent,
    onProgress: (atUs) => {
      isInterrupted ||= run.onProgress?.(atUs) === false;
      return !isInterrupted;
    },
  };
  const opened = await openHistory(config);
  const { grade, interval } = opened;
  const {
    decisions: whole,
    worthless,
    strategyErrors,
  } = await playedOnce(config, { ...watched, onBotEvent }, opened);
  const errors = new Map(strategyErrors.map((error) => [error.marketId, error]));
  const first = whole.findIndex(({ atUs }) => atUs >= leastCutUs(opened, config));
  const drawable = first === -1 ? 0 : whole.length - first;
  const random = seededRandom(`look-ahead ${config.seed}`);
  const drawn = new Set<number>();
  while (drawn.size < Math.min(cuts, drawable))
    drawn.add(first + Math.floor(random.uniform() * drawable));
  const changed: LookAhead[] = [];
  for (const [done, at] of [...drawn].sort((a, b) => a - b).entries()) {
    if (isInterrupted) break;
    onCut(done);
    const { atUs: cutUs } = whole[at];
    const toUs = cutUs + AFTER_US;
    // The same kind of history whatever the cutoff leaves of it. It ends at the cutoff, not at the
    // last event before it.
    const history = {
      ...config.history,
      toUs,
      grade,
      ...(interval === undefined ? {} : { interval }),
    };
    const cut = { ...config, history };
    const played = await playedOnce(
      cut,
      { ...watched, cutUs },
      { ...(await openHistory(cut)), endUs: toUs },
    );
    for (const error of played.strategyErrors)
      if (!errors.has(error.marketId)) errors.set(error.marketId, error);
    const found = findChangedDecision(whole, played.decisions, cutUs);
    if (found !== undefined) changed.push({ cutUs, ...found });
  }
  if (isInterrupted)
    throw new RunError("the check for look-ahead was interrupted and has no result");
  return {
    decisions: whole.length,
    cuts: drawn.size,
    changed,
    worthless,
    strategyErrors: [...errors.values()],
  };
}

/** Data stamped with the decision's own instant was available to it. */
const AFTER_US = 1;
const ignore = (): void => undefined;

/**
 * The first instant at which a cutoff leaves a run: its warm-up is over, and every market and
 * reference source has begun.
 */
function leastCutUs(
  { startUs, markets, references = [] }: OpenedHistory,
  { warmupMs }: BacktestConfig,
): number {
  return Math.max(
    startUs + warmupMs * 1000,
    ...markets.map(firstUs),
    ...references.map(({ prices }) => prices.firstUs),
  );
}

async function playedOnce(
  config: BacktestConfig,
  run: PlayPathOptions,
  history: OpenedHistory,
): Promise<PlayedOnce> {
  const decisions: Decision[] = [];
  const { path } = config.fills;
  const onNotice = (notice: BotEvent, atUs: number): void => {
    run.onBotEvent?.(notice, atUs);
    // The bot's shutdown after the end of history is not a decision based on it.
    if (atUs >= history.endUs) return;
    if (notice.kind === "intent") decisions.push({ atUs, text: decisionText(notice.intent) });
    else if (notice.kind === "dispatched" && notice.action.kind !== "question")
      decisions.push({ atUs, text: decisionText(notice.action) });
  };
  const { worthless, strategyErrors } = await playReport(
    config,
    { ...run, onBotEvent: onNotice },
    history,
    path === "worse" ? "ohlc" : path,
  );
  return { decisions, worthless, strategyErrors };
}
