import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { BacktestCommandOptions } from "../commands/backtest.js";

const EXAMPLES = `
Examples:
  marketwright backtest config/backtest.yaml --out report
  marketwright backtest config/backtest.yaml --out report --replace --json
  marketwright backtest config/backtest.yaml --check-look-ahead

Writes report.html, report.json and fills.csv into the folder when the run is over. Exit code 1 if the run was
interrupted or a strategy failed.`;

/** `marketwright backtest FILE` */
export function addBacktest(program: Command, context: CliContext): void {
  program
    .command("backtest")
    .description(
      "run a strategy on recorded history with the live risk checks and executor, and write a report",
    )
    .argument("<file>", "the backtest's YAML")
    .option("--out <folder>", "where the report is written")
    .option("--replace", "replace the report in that folder")
    .option(
      "--check-look-ahead [cuts]",
      "run again on history that ends early, with so many cuts (default: 50); fail if a decision before a cut changes",
    )
    .option("--json", "print the report's figures as JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (file: string, options: BacktestCommandOptions) => {
      const { backtestCommand } = await import("../commands/backtest.js");
      await backtestCommand(context, file, options);
    });
}
