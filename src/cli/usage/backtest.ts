import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { BacktestCommandOptions } from "../commands/backtest.js";

const EXAMPLES = `
Examples:
  marketwright backtest config/backtest.yaml --out report
  marketwright backtest config/backtest.yaml --out report --replace --json
  marketwright backtest config/backtest.yaml --check-look-ahead

Writes report.html, report.json and fills.csv into the folder, all together at the end. Exit code 1 when it was
interrupted, or a strategy failed.`;

/** `marketwright backtest FILE` */
export function addBacktest(program: Command, context: CliContext): void {
  program
    .command("backtest")
    .description(
      "replay recorded history through the same strategy, risk and executor, and report it",
    )
    .argument("<file>", "the backtest's YAML")
    .option("--out <folder>", "where the report is written")
    .option("--replace", "replace the report in that folder")
    .option(
      "--check-look-ahead [cuts]",
      "cut the history after so many of the decisions (default: 50); fail if an earlier decision changes or a strategy fails",
    )
    .option("--json", "the report's figures as JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (file: string, options: BacktestCommandOptions) => {
      const { backtestCommand } = await import("../commands/backtest.js");
      await backtestCommand(context, file, options);
    });
}
