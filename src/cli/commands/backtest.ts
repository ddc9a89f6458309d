import type { Command } from "commander";
import { type BacktestConfig, loadBacktestConfig } from "../../backtest/config/backtest-config.js";
import { type BacktestResult, runBacktest } from "../../backtest/run/run-backtest.js";
import { bindStrategies, loadStrategies } from "../../bot/run/market-strategies.js";
import { instantText } from "../../history/day.js";
import { openLog } from "../../monitoring/log.js";
import type { CliContext } from "../cli-context.js";
import { NotWell } from "../exit.js";
import { jsonText } from "../output.js";
import { packageVersion } from "../package-version.js";

interface BacktestCommandOptions {
  readonly out: string;
  readonly replace?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  marketwright backtest config/backtest.yaml --out report
  marketwright backtest config/backtest.yaml --out report --replace --json

Writes report.html, report.json and fills.csv into the folder, all together at the end. Exit code 1 when it was interrupted.`;

/** `marketwright backtest FILE` */
export function addBacktest(program: Command, context: CliContext): void {
  program
    .command("backtest")
    .description("replay recorded history through the same strategy, risk and executor, and report it")
    .argument("<file>", "the backtest's YAML")
    .requiredOption("--out <folder>", "where the report is written")
    .option("--replace", "replace a report that lies there")
    .option("--json", "the report's figures as JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (file: string, { out, replace = false, json = false }: BacktestCommandOptions) => {
      const config = loadBacktestConfig(file, context.env);
      const log = openLog({ level: config.bot.logLevel, clock: context.seam.clock });
      const strategies = bindStrategies(config.bot, await loadStrategies(config.bot, log));
      let isInterrupted = false;
      context.interrupted().then(() => {
        isInterrupted = true;
      });
      const bar = progress(context, config);
      const result = await runBacktest(config, {
        strategies,
        directory: out,
        replace,
        version: packageVersion(),
        onMake: (market, day) => bar(`making columns of ${market} ${day}`, undefined),
        onProgress: (atUs) => {
          bar("replayed", atUs);
          return !isInterrupted;
        },
      });
      bar("", undefined);
      context.stdout.write(json ? jsonText(result.report, 2) : resultText(result));
      for (const gap of result.gaps) context.stderr.write(`The history has a gap: ${gap}\n`);
      if (result.report.ended === "stopped") throw new NotWell();
    });
}

const BAR_CELLS = 30;

/** How far the run is, in one line of a terminal. */
function progress({ stderr }: CliContext, { history: { fromUs, toUs } }: BacktestConfig): (what: string, atUs: number | undefined) => void {
  return (what, atUs) => {
    if (stderr.isTTY !== true) return;
    if (atUs === undefined) {
      stderr.write(`\r\x1b[K${what}`);
      return;
    }
    const filled = Math.round(Math.min(1, Math.max(0, (atUs - fromUs) / (toUs - fromUs))) * BAR_CELLS);
    stderr.write(`\r\x1b[K${"#".repeat(filled)}${".".repeat(BAR_CELLS - filled)} ${what} to ${instantText(Math.floor(atUs / 1000))}`);
  };
}

function resultText({ report, html, json, fillsCsv }: BacktestResult): string {
  const { span, profit, fills, drawdown, asset, isIndicative, alternatives } = report;
  const parts = Object.entries(profit).filter(([name]) => name !== "total");
  const lines = [
    `${report.name}: ${span.from} to ${span.to}, ${report.grade}${isIndicative ? " (indicative: candles do not say what would have been filled)" : ""}`,
    `profit ${profit.total} ${asset}: ${parts.map(([name, amount]) => `${name} ${amount}`).join(", ")}`,
    `${fills.all.fills} fills for ${fills.all.turnover} ${asset}, largest fall ${drawdown.max}`,
    ...alternatives.map((other) => `${other.name}: profit ${other.profit}, ${other.fills} fills, largest fall ${other.maxDrawdown}`),
    `report  ${html}`,
    `figures ${json}`,
    `fills   ${fillsCsv}`,
  ];
  return `${lines.join("\n")}\n`;
}
