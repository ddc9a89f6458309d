import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { Decimal } from "decimal.js";
import { parse } from "yaml";
import { compareSession } from "../../backtest/compare/compare-session.js";
import type { Comparison } from "../../backtest/compare/comparison-schema.js";
import { loadBacktestConfig } from "../../backtest/config/backtest-config.js";
import { type BacktestFile, backtestSchema } from "../../backtest/config/backtest-schema.js";
import { REPORT_JSON } from "../../backtest/report/report-folder.js";
import { reportSchema } from "../../backtest/report/report-schema.js";
import { disableParallelGc } from "../../backtest/run/disable-parallel-gc.js";
import { readSession } from "../../backtest/session/session-file.js";
import { bindStrategies, loadStrategies } from "../../bot/run/market-strategies.js";
import { logStrategyFailure } from "../../bot/strategy/log-strategy-failure.js";
import { checkShape } from "../../core/config/config-shape.js";
import { ConfigError } from "../../core/errors.js";
import { readPlainText } from "../../core/files/plain-files.js";
import { loadOptional } from "../../core/optional-part.js";
import { openLog } from "../../monitoring/log.js";
import { toFixedPoint } from "../../perpetual/fixed-point.js";
import type { CliContext } from "../cli-context.js";
import { ReportedFailure } from "../process/exit.js";
import { jsonText } from "../process/output.js";

export interface CompareCommandOptions {
  readonly fit?: boolean;
  readonly json?: boolean;
}

/** Compares a recorded session with its replay. @throws ReportedFailure if a strategy failed */
export async function compareCommand(
  context: CliContext,
  live: string,
  backtest: string | undefined,
  { fit = false, json = false }: CompareCommandOptions,
): Promise<void> {
  await loadOptional("@duckdb/node-api");
  disableParallelGc();
  const session = readSession(live);
  const { fills, liquidation, seed } = modelsOf(backtest, context);
  if (!fit && backtest !== undefined) requireConstant(fills, backtest);
  const log = openLog({ level: session.config.logLevel, clock: context.runtime.clock });
  const strategies = bindStrategies(session.config, await loadStrategies(session.config, log));
  const comparison = await compareSession({
    folder: live,
    session,
    strategies,
    ...(fills === undefined
      ? {}
      : {
          queue: fills.queue,
          doubtful: fills.doubtful,
          orderLatencyMs: fills.orderLatencyMs,
          responseLatencyMs: fills.responseLatencyMs,
        }),
    liquidation: {
      priceOff: toFixedPoint(liquidation.priceOff),
      insuranceFeeRate: toFixedPoint(liquidation.insuranceFeeRate),
    },
    seed: String(seed),
    fit,
    onBotEvent: (notice) => logStrategyFailure(log, notice),
  });
  context.stdout.write(json ? jsonText(comparison, 2) : comparisonText(comparison));
  if (comparison.strategyErrors.length + comparison.sameInputs.strategyErrors.length > 0)
    throw new ReportedFailure();
}

interface Models {
  readonly fills: BacktestFile["fills"] | undefined;
  readonly liquidation: { readonly priceOff: number; readonly insuranceFeeRate: number };
  readonly seed: string | number;
}

/** The models of a backtest or of a report. @throws ConfigError for any other file */
function modelsOf(path: string | undefined, { env }: CliContext): Models {
  if (path === undefined)
    return { fills: undefined, liquidation: { priceOff: 0.01, insuranceFeeRate: 0.01 }, seed: 1 };
  if (!existsSync(path))
    throw new ConfigError("does not exist", {
      field: "backtest",
      value: path,
      expected: "a backtest's YAML, or the folder of its report",
    });
  if (!statSync(path).isDirectory()) return loadBacktestConfig(path, env);
  const file = join(path, REPORT_JSON);
  try {
    const report = reportSchema.parse(JSON.parse(readPlainText(file)));
    const written = parse(report.configuration[0]?.yaml ?? "") as Record<string, unknown>;
    const { fills, rules } = written;
    const { liquidationPriceOff, insuranceFeeRate } = checkShape(backtestSchema.shape.rules, rules);
    return {
      fills: checkShape(backtestSchema.shape.fills, fills),
      liquidation: { priceOff: liquidationPriceOff, insuranceFeeRate },
      seed: report.seed,
    };
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError("contains no report of this version", {
      field: "backtest",
      value: file,
      expected: "a report that marketwright backtest --out wrote",
      cause,
    });
  }
}

/** @throws ConfigError for latencies from another recording */
function requireConstant(fills: Models["fills"], path: string): void {
  if (fills?.markets !== undefined)
    throw new ConfigError("has models by market", {
      field: "fills.markets",
      value: path,
      expected: "queue, orderLatencyMs and responseLatencyMs, or --fit, which finds them by market",
    });
  if (fills?.latencyFile === undefined && fills?.feedLatency === undefined) return;
  throw new ConfigError("takes its latencies from a recording", {
    field: "fills",
    value: path,
    expected: "orderLatencyMs and responseLatencyMs, or --fit, which finds them",
  });
}

const SHOWN = 20;

function modelText({
  isShared,
  queue,
  bookLagMs,
  shiftMs,
}: Comparison["markets"][number]["orders"]["model"]): string {
  return `queue ${queue}, ${isShared ? "" : `book ${bookLagMs} ms late, `}orders ${shiftMs} ms later`;
}

/** Lists the causes of the differences with their share, the largest first. */
function causesOf(differences: Comparison["markets"][number]["orders"]["differences"]): string[] {
  const amounts = new Map<string, Decimal>();
  for (const { kind, amount } of differences)
    amounts.set(kind, (amounts.get(kind) ?? new Decimal(0)).plus(amount));
  const all = Decimal.sum(0, ...amounts.values());
  const causes = [...amounts]
    .sort(([, one], [, other]) => other.cmp(one))
    .map(([kind, amount]) => `${kind} ${amount.div(all).mul(100).toFixed(1)} %`);
  return causes.length === 0
    ? []
    : [`      causes of the differences: ${causes.join(", ")}; --json has each`];
}

function failedLines(when: string, errors: Comparison["strategyErrors"]): string[] {
  return errors.map(
    ({ marketId, at, why }) => `FAILED: the strategy of ${marketId}, ${when}, at ${at}: ${why}`,
  );
}

function comparisonText({
  mode,
  from,
  to,
  worthless,
  strategyErrors,
  sameInputs,
  markets,
  profit,
  notes,
}: Comparison): string {
  const lines = [
    ...worthless.map((text) => `WORTHLESS: ${text}`),
    ...failedLines("given the recorded inputs", sameInputs.strategyErrors),
    ...failedLines("in the rerun of the bot", strategyErrors),
    `${mode} session from ${from} to ${to}`,
    ...notes.map((note) => `  ${note}`),
  ];
  const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
  const differences = (all: Comparison["markets"][number]["orders"]["differences"]): string[] => [
    ...all
      .slice(0, SHOWN)
      .map(
        ({ at, only, side, price, amount, kind, why }) =>
          `    ${at} only ${only}: ${side} ${amount} @ ${price} (${kind}) ${why}`,
      ),
    ...(all.length > SHOWN ? [`    and ${all.length - SHOWN} more: --json has all`] : []),
  ];
  lines.push(
    `the same inputs: ${sameInputs.equal} of ${sameInputs.intents} intents equal byte for byte, in ${sameInputs.turns} turns`,
  );
  const other = sameInputs.firstDifference;
  if (other !== null) {
    lines.push(
      `  first difference at ${other.at} in turn ${other.turn}: ${other.why}`,
      `    live   ${other.live ?? "nothing"}`,
      `    replay ${other.replay ?? "nothing"}`,
    );
  }
  const halves = ({
    firstHalfShare,
    secondHalfShare,
  }: {
    readonly firstHalfShare: number;
    readonly secondHalfShare: number;
  }): string => `(first half ${percent(firstHalfShare)}, second ${percent(secondHalfShare)})`;
  for (const { marketId, orders, asHistory, fit, again } of markets) {
    lines.push(
      marketId,
      `  recorded orders in the replayed market (${modelText(orders.model)}):`,
      `    ${orders.sent} orders; fills: live ${orders.live}, replay ${orders.replay}; alike ${percent(orders.share)} of ${orders.unionBase} ${halves(orders)}`,
    );
    if (fit !== null) {
      lines.push(
        `    fitted: ${fit.objective}; ${fit.tried} models tried; unfitted ${percent(fit.plain.firstHalfShare)}, ${percent(fit.plain.secondHalfShare)}`,
      );
    }
    lines.push(...differences(orders.differences));
    if (asHistory !== null) {
      lines.push(
        `    by the rules of a backtest, whose history does not contain them (${modelText(asHistory.model)}): fills ${asHistory.fills}; alike ${percent(asHistory.share)} ${halves(asHistory)}`,
        ...causesOf(asHistory.differences),
      );
    }
    const { model, intents, fills } = again;
    lines.push(
      `  the rerun of the bot (queue ${model.queue}, ambiguous fills ${model.doubtful}, ${model.orderLatencyMs} ms to the exchange, ${model.responseLatencyMs} ms back):`,
      `    intents: live ${intents.live}, replay ${intents.replay}, the first ${intents.equalFirst} equal, ${percent(intents.share)} of live's within the window`,
      ...(intents.firstDifference === null
        ? []
        : [
            `      first difference at ${intents.firstDifference.liveAt}:`,
            `        live   ${intents.firstDifference.live}`,
            `        replay ${intents.firstDifference.replay}`,
          ]),
      `    orders: live ${again.orders.live}, replay ${again.orders.replay}, ${again.orders.matched} alike by side, price, level and time`,
      `    fills: live ${fills.live}, replay ${fills.replay}; alike ${percent(fills.share)} of ${fills.unionBase}`,
      `    mean prices: bought ${meanText(again.meanPrice.live.BUY)} and ${meanText(again.meanPrice.replay.BUY)}, sold ${meanText(again.meanPrice.live.SELL)} and ${meanText(again.meanPrice.replay.SELL)}`,
      `    fees paid, below zero received: live ${again.fees.live}, replay ${again.fees.replay}`,
      ...differences(fills.differences),
    );
  }
  lines.push("profit by its parts (live, replay, difference)");
  for (const [name, replay] of Object.entries(profit.replay)) {
    lines.push(
      `  ${name.padEnd(12)} ${profit.live[name] ?? "-"}  ${replay}  ${profit.difference[name] ?? "-"}`,
    );
  }
  return `${lines.join("\n")}\n`;
}

/** Digits of a mean price: more than any tick needs, fewer than a binary fraction has. */
const MEAN_DIGITS = 10;

/** @param mean null or absent if nothing was filled. */
function meanText(mean: number | null | undefined): string {
  return mean === null || mean === undefined ? "-" : String(Number(mean.toPrecision(MEAN_DIGITS)));
}
