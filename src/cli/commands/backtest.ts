import { availableParallelism } from "node:os";
import { type BacktestConfig, loadBacktestConfig } from "../../backtest/config/backtest-config.js";
import { checkReplayedSizes } from "../../backtest/config/replayed-sizes.js";
import { AMBIGUITY_TEXTS, describeAmbiguousFees } from "../../backtest/record/ambiguous-fills.js";
import { describeMostlyAmbiguous } from "../../backtest/report/describe-mostly-ambiguous.js";
import { formatInstant } from "../../backtest/report/page/format-instant.js";
import { disableParallelGc } from "../../backtest/run/disable-parallel-gc.js";
import { checkLookAhead as lookAheadOf } from "../../backtest/run/look-ahead.js";
import type { PlayPathOptions } from "../../backtest/run/play-path.js";
import { type BacktestResult, runBacktest } from "../../backtest/run/run-backtest.js";
import { PATH_THREAD } from "../../backtest/run/threaded-path.js";
import { bindStrategies, loadStrategies, strategyFiles } from "../../bot/run/market-strategies.js";
import { logStrategyFailure } from "../../bot/strategy/log-strategy-failure.js";
import { ConfigError } from "../../core/errors.js";
import { loadOptional } from "../../core/optional-part.js";
import { packageVersion } from "../../core/package-version.js";
import { instantText } from "../../history/day.js";
import { openLog } from "../../monitoring/log.js";
import type { CliContext } from "../cli-context.js";
import { ReportedFailure } from "../process/exit.js";
import { jsonText } from "../process/output.js";
import { failOnUncaughtStrategyErrors } from "../process/uncaught-strategy-errors.js";
import { signalLines } from "../signal-lines.js";

export interface BacktestCommandOptions {
  readonly out?: string;
  readonly replace?: boolean;
  readonly checkLookAhead?: string | true;
  readonly json?: boolean;
}

/** Runs a backtest, and writes its report. */
export async function backtestCommand(
  context: CliContext,
  file: string,
  options: BacktestCommandOptions,
): Promise<void> {
  await failOnUncaughtStrategyErrors(context, (check) => backtest(context, file, options, check));
}

/** @param check throws the strategies' uncaught errors. */
async function backtest(
  context: CliContext,
  file: string,
  { out, replace = false, json = false, checkLookAhead }: BacktestCommandOptions,
  check: () => void,
): Promise<void> {
  if (out === undefined && checkLookAhead === undefined)
    throw new ConfigError("is missing", {
      field: "--out",
      expected: "a folder for the report, or --check-look-ahead",
    });
  await loadOptional("@duckdb/node-api");
  const config = loadBacktestConfig(file, context.env);
  checkReplayedSizes(config);
  const log = openLog({ level: config.bot.logLevel, clock: context.runtime.clock });
  const loaded = await loadStrategies(config.bot, log);
  const strategies = bindStrategies(config.bot, loaded);
  let isInterrupted = false;
  context.interrupted().then(() => {
    isInterrupted = true;
  });
  const isOn = (): boolean => {
    check();
    return !isInterrupted;
  };
  const bar = new Progress(context.stderr);
  disableParallelGc();
  if (checkLookAhead !== undefined) {
    const run: PlayPathOptions = {
      strategies,
      version: packageVersion(),
      onProgress: isOn,
      onBotEvent: (notice) => logStrategyFailure(log, notice),
    };
    await proveNoLookAhead(context, config, run, cutsOf(checkLookAhead), json);
  }
  if (out === undefined) return;
  const result = await runBacktest(config, {
    strategies,
    strategyFiles: strategyFiles(loaded),
    directory: out,
    replace,
    version: packageVersion(),
    ...(availableParallelism() > 1 ? { pathThread: PATH_THREAD } : {}),
    onMake: (market, day) => bar.say(`making columns of ${market} ${day}`),
    onOpen: (history) => bar.begin(history),
    onBotEvent: (notice) => logStrategyFailure(log, notice),
    onProgress: (atUs) => {
      bar.replayed(atUs);
      return isOn();
    },
  });
  bar.say("");
  context.stdout.write(json ? jsonText(result.report, 2) : resultText(result));
  if (json) for (const line of worthlessLines(result.report)) context.stderr.write(`${line}\n`);
  for (const doubt of result.report.doubts)
    context.stderr.write(`This run may be too optimistic: ${doubt}\n`);
  for (const gap of result.gaps) context.stderr.write(`The history has a gap: ${gap}\n`);
  if (result.report.ended === "stopped" || result.report.strategyErrors.length > 0)
    throw new ReportedFailure();
}

/**
 * @throws ReportedFailure when a decision used later data, when there was no decision to check, or
 * when a strategy failed.
 */
async function proveNoLookAhead(
  context: CliContext,
  config: BacktestConfig,
  run: PlayPathOptions,
  cuts: number,
  json: boolean,
): Promise<void> {
  const onCut = (done: number): void => {
    if (context.stderr.isTTY === true) context.stderr.write(`\r\x1b[K${done} of ${cuts} cuts`);
  };
  const check = await lookAheadOf(config, run, cuts, onCut);
  if (context.stderr.isTTY === true) context.stderr.write("\r\x1b[K");
  const { changed, decisions, strategyErrors } = check;
  const lines = changed.map(
    ({ cutUs, atUs, whole, cut }) =>
      `cut after ${formatInstant(cutUs)}: the decision of ${formatInstant(atUs)} was\n  ${whole}\nand is\n  ${cut}\n`,
  );
  const found =
    changed.length === 0
      ? "no decision used history from after it"
      : `${changed.length} changed a decision made before them`;
  const summary = `${check.cuts} cuts in ${decisions} decisions: ${check.cuts === 0 ? "nothing was checked" : found}\n`;
  const worthless = worthlessLines(check).map((line) => `${line}\n`);
  if (json) for (const line of worthless) context.stderr.write(line);
  context.stdout.write(
    json ? jsonText(check, 2) : `${[...worthless, ...lines].join("")}${summary}`,
  );
  if (changed.length > 0 || check.cuts === 0 || strategyErrors.length > 0)
    throw new ReportedFailure();
}

function cutsOf(written: string | true): number {
  const cuts = written === true ? LOOK_AHEAD_CUTS : Number(written);
  if (Number.isSafeInteger(cuts) && cuts > 0) return cuts;
  throw new ConfigError("cannot be the number of cuts", {
    field: "--check-look-ahead",
    value: written,
    expected: "a whole number above 0",
  });
}

const LOOK_AHEAD_CUTS = 50;
const BAR_CELLS = 30;

/** Shows the progress of the run in one line of a terminal. */
class Progress {
  readonly #stderr: CliContext["stderr"];
  #startUs = 0;
  #endUs = 0;

  constructor(stderr: CliContext["stderr"]) {
    this.#stderr = stderr;
  }

  begin({ startUs, endUs }: { readonly startUs: number; readonly endUs: number }): void {
    this.#startUs = startUs;
    this.#endUs = endUs;
  }

  replayed(atUs: number): void {
    const share = (atUs - this.#startUs) / (this.#endUs - this.#startUs);
    const filled = Math.round(Math.min(1, Math.max(0, share)) * BAR_CELLS);
    this.say(
      `${"#".repeat(filled)}${".".repeat(BAR_CELLS - filled)} replayed to ${instantText(Math.floor(atUs / 1000))}`,
    );
  }

  say(what: string): void {
    if (this.#stderr.isTTY === true) this.#stderr.write(`\r\x1b[K${what}`);
  }
}

/**
 * Lines about failed strategies and other reasons why the run's figures are worthless: without them
 * the figures must not be read.
 */
function worthlessLines({
  worthless,
  strategyErrors,
}: Pick<BacktestResult["report"], "worthless" | "strategyErrors">): string[] {
  const failed = strategyErrors.map(
    ({ marketId, at, why }) => `FAILED: the strategy of ${marketId} at ${at}: ${why}`,
  );
  return [...worthless.map((text) => `WORTHLESS: ${text}`), ...failed];
}

/**
 * Lines about a run that did not trade to the end of its history: without them its profit must not
 * be read.
 */
function endLines({ ended, reason }: Pick<BacktestResult["report"], "ended" | "reason">): string[] {
  if (ended === "end-of-history") return [];
  const what = { halted: "HALTED", liquidated: "LIQUIDATED", stopped: "STOPPED" }[ended];
  return [`${what}${reason === null ? "" : `: ${reason}`}`];
}

/** Lines about the first few changes of the risk ladder. */
function rungLines({ rungs: { count, first } }: BacktestResult["report"]): string[] {
  const shown = first.slice(0, MOST_RUNGS_SHOWN);
  const lines = shown.map(
    ({ at, marketId, measure, action, why }) =>
      `${at} ${marketId ?? "all markets"}, ${measure}: ${action === "none" ? "over" : action}: ${why}`,
  );
  return count > shown.length
    ? [...lines, `and ${count - shown.length} more changes of the risk ladder`]
    : lines;
}

const MOST_RUNGS_SHOWN = 10;

/** A remaining position is valued at the mark, as if it could be closed at no cost. */
function heldLines({
  marketId,
  position: { last },
}: BacktestResult["report"]["markets"][number]): string[] {
  return Number(last) === 0
    ? []
    : [
        `in ${marketId} ${last} base units are held at the end: they count at the mark price, without the cost of closing them`,
      ];
}

/** Lines about fills whose orders may not have been on the book yet, by the history. */
function ambiguousLines({
  marketId,
  fills: { doubtful },
}: BacktestResult["report"]["markets"][number]): string[] {
  const line = (
    { fills, amount, fees, feesOtherwise }: typeof doubtful.asTakers,
    may: string,
  ): string[] =>
    fills === 0
      ? []
      : [
          `in ${marketId} ${fills} of its fills, ${amount} base units, ${may}: ${describeAmbiguousFees(fees, feesOtherwise)}`,
        ];
  return (["asTakers", "asMakers", "postOnly"] as const).flatMap((kind) =>
    line(doubtful[kind], AMBIGUITY_TEXTS[kind]),
  );
}

/** Texts before and after the count of rejections, by their source: singular and plural. */
const REFUSED = {
  bot: ["the bot refused", "intent", "intents"],
  limit: ["a limit stopped or reduced", "order", "orders"],
  exchange: ["the exchange refused", "request", "requests"],
} as const;

function refusedLine({
  marketId,
  by,
  reason,
  count,
  why,
}: BacktestResult["report"]["refused"][number]): string {
  const [refused, one, several] = REFUSED[by];
  return `${refused} ${count} ${count === 1 ? one : several} in ${marketId}, ${reason}: ${why}`;
}

function resultText({ report, html, json, fillsCsv }: BacktestResult): string {
  const { span, profit, fills, orders, drawdown, asset, isIndicative, alternatives, refused } =
    report;
  const parts = Object.entries(profit).filter(([name]) => name !== "total");
  const lines = [
    ...worthlessLines(report),
    ...endLines(report),
    ...report.markets.flatMap(describeMostlyAmbiguous).map((text) => `AMBIGUOUS: ${text}`),
    `${report.name}: ${span.from} to ${span.to}, ${report.grade}${isIndicative ? " (indicative: candles do not show which orders would have filled)" : ""}`,
    `profit ${profit.total} ${asset}: ${parts.map(([name, amount]) => `${name} ${amount}`).join(", ")}`,
    `${fills.all.fills} fills of ${orders.placed} orders, for ${fills.all.turnover} ${asset}, largest fall ${drawdown.max}`,
    ...rungLines(report),
    ...report.markets.flatMap(heldLines),
    ...report.markets.flatMap(ambiguousLines),
    ...report.markets.flatMap(signalLines),
    ...alternatives.map(
      (other) =>
        `${[other.name, ...endLines(other)].join(", ")}: profit ${other.profit}, ${other.fills} fills, largest fall ${other.maxDrawdown}`,
    ),
    ...refused.map(refusedLine),
    `report  ${html}`,
    `figures ${json}`,
    `fills   ${fillsCsv}`,
  ];
  return `${lines.join("\n")}\n`;
}
