import type { Command } from "commander";
import type { CliContext } from "../../cli-context.js";
import type { ReportCommandOptions } from "../../commands/records/report.js";

const EXAMPLES = `
Examples:
  marketwright report bot.yaml --live --from 2026-11-01 --to 2026-11-28 --out report
  marketwright report bot.yaml --live --json
  marketwright report bot.yaml --daily
  marketwright report bot.yaml --daily 2026-11-27 --json

Reads the day files in the folder of the bot's state, while the bot runs or after it. Exit code 1 if there is no record.`;

/** `marketwright report bot.yaml` */
export function addReport(program: Command, context: CliContext): void {
  program
    .command("report")
    .description(
      "report on a live bot from its own files, as a backtest's report: profit by part, fills, markouts, uptime with its causes, halts; or summarise one day",
    )
    .argument("<file>", "the bot's YAML file")
    .option("--live", "the report of a span")
    .option("--from <time>", "begin of the span, UTC (default: the first record)")
    .option("--to <time>", "end of the span, UTC (default: now)")
    .option("--out <folder>", "write report.html, report.json and fills.csv there")
    .option("--replace", "replace the report in that folder")
    .option("--daily [day]", "the summary of one UTC day (default: today)")
    .option("--json", "JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (file: string, options: ReportCommandOptions) => {
      const { reportCommand } = await import("../../commands/records/report.js");
      await reportCommand(context, file, options);
    });
}
