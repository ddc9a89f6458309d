import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type BacktestConfig,
  loadBacktestConfig,
} from "../../../backtest/config/backtest-config.js";
import { checkReplayedSizes } from "../../../backtest/config/replayed-sizes.js";
import type { RunObserver } from "../../../backtest/record/run-observer.js";
import { wrapDiskError } from "../../../backtest/report/wrap-disk-error.js";
import { openHistory } from "../../../backtest/run/opening/open-history.js";
import { playPath } from "../../../backtest/run/play-path.js";
import type { PlayedHistory } from "../../../backtest/run/played-history.js";
import { runBacktest } from "../../../backtest/run/run-backtest.js";
import type { Bot } from "../../../bot/engine/bot.js";
import { bindStrategies, loadStrategies } from "../../../bot/run/market-strategies.js";
import { WorkRecord } from "../../../bot/work/work-record.js";
import { ConfigError } from "../../../core/errors.js";
import { loadOptional } from "../../../core/optional-part.js";
import { packageVersion } from "../../../core/package-version.js";
import type { MarketId, Ms } from "../../../core/units.js";
import { instantText } from "../../../history/day.js";
import { openLog } from "../../../monitoring/log.js";
import type { CliContext } from "../../cli-context.js";
import { Interrupted, ReportedFailure } from "../../process/exit.js";
import { jsonText } from "../../process/output.js";
import { formatWork } from "./format-work.js";
import {
  type WorkCommandOptions,
  type WorkParameters,
  workedConfig,
  workedMarket,
} from "./work-options.js";

/** History that is played beyond the end of the work: orders in flight end in it. */
const TAIL_MS: Ms = 60_000;
/** The file of the summary in the folder of the report. */
const WORK_JSON = "work.json";

/**
 * Works a position on the history of a backtest, from a position of zero.
 * @throws ConfigError, RunError, HistoryError; ReportedFailure if the target was not reached
 */
export async function workInBacktest(
  context: CliContext,
  file: string,
  options: WorkCommandOptions & { readonly params: WorkParameters },
): Promise<void> {
  const { params, json = false, out, replace = false } = options;
  await loadOptional("@duckdb/node-api");
  const loaded = loadBacktestConfig(file, context.env);
  const replayed = Object.keys(loaded.history.markets);
  const marketId = workedMarket(
    Object.fromEntries(replayed.map((id) => [id, loaded.bot.markets[id]])),
    options.market,
    params,
  );
  const config = await workedBacktest(loaded, marketId, params, options.by);
  checkReplayedSizes(config);
  const log = openLog({ level: config.bot.logLevel, clock: context.runtime.clock });
  const strategies = bindStrategies(config.bot, await loadStrategies(config.bot, log));
  const record = new WorkRecord({ marketId, targetBase: params.targetBase });
  let signal: string | undefined;
  void context.interrupted().then((by) => {
    signal = by;
  });
  let bot: Bot | undefined;
  const run = {
    strategies,
    version: packageVersion(),
    onBotEvent: (...[event, , from]: Parameters<NonNullable<PlayEvents>>): void => {
      bot = from ?? bot;
      if (from !== undefined) record.onBotEvent(event, from);
    },
    onProgress: () => signal === undefined,
  };
  if (out === undefined)
    await playPath(config, run, await openHistory(config), NO_CANDLES_PATH, SILENT);
  else await runBacktest(config, { ...run, directory: out, replace });
  if (signal !== undefined) throw new Interrupted(signal, "the work was not played to its end");
  const work = bot === undefined ? undefined : record.summary(bot, "the history has ended");
  if (work === undefined)
    throw new ConfigError("shows no market with both sides of a book", {
      field: "history",
      value: marketId,
      expected: "history with books or trades from its start",
    });
  const ended =
    work.byMs !== null && work.endedAtMs >= work.byMs ? "the time is over" : work.reason;
  const summary = { ...work, reason: work.isReached ? work.reason : ended };
  if (out !== undefined) {
    const path = join(out, WORK_JSON);
    wrapDiskError(path, () => writeFileSync(path, jsonText(summary, 2)));
  }
  context.stdout.write(json ? jsonText(summary, 2) : formatWork(summary, undefined));
  if (!summary.isReached) throw new ReportedFailure();
}

/**
 * A backtest of the work alone: one market, from the first data until a little after its end.
 * @throws ConfigError for candles, and for a time outside the history
 */
async function workedBacktest(
  loaded: BacktestConfig,
  marketId: MarketId,
  params: WorkParameters,
  written: string,
): Promise<BacktestConfig> {
  const { history } = loaded;
  const alone: BacktestConfig = {
    ...loaded,
    bot: workedConfig(loaded.bot, marketId, params),
    history: { ...history, markets: { [marketId]: history.markets[marketId] } },
    // The work begins with the first view, and a warm-up would be part of it.
    warmupMs: 0,
  };
  const { grade, startUs, endUs }: PlayedHistory = await openHistory(alone);
  if (grade === "klines")
    throw new ConfigError("has candles, which show neither quotes nor trades of a schedule", {
      field: "history.market",
      value: history.markets[marketId],
      expected: "recorded books or trades",
    });
  const byUs =
    params.byMs === undefined ? startUs + (params.withinMs ?? 0) * 1000 : params.byMs * 1000;
  if (byUs <= startUs || byUs > endUs)
    throw new ConfigError("is not within the history", {
      field: "--by",
      value: written,
      expected: `a time after ${instantText(Math.floor(startUs / 1000))}, at most ${instantText(Math.floor(endUs / 1000))}, or a duration within it`,
    });
  const toUs = Math.min(endUs, byUs + TAIL_MS * 1000);
  return { ...alone, history: { ...alone.history, fromUs: startUs, toUs } };
}

type PlayEvents = NonNullable<Parameters<typeof playPath>[1]["onBotEvent"]>;

/** The order of a candle's extremes, which books and trades do not use. */
const NO_CANDLES_PATH = "ohlc";

const nothing = (): void => {};
/** Records nothing: the summary comes from the bot's own events. */
const SILENT: RunObserver = {
  touch: nothing,
  fill: nothing,
  equity: nothing,
  quote: nothing,
  action: nothing,
  funding: nothing,
  note: nothing,
  prediction: nothing,
};
