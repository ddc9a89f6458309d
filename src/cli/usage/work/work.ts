import type { Command } from "commander";
import type { CliContext } from "../../cli-context.js";
import type { WorkCommandOptions } from "../../commands/work/work-options.js";

const EXAMPLES = `
Examples:
  marketwright work bot.yaml --market btcusdc --target 0.5 --by 10m
  marketwright work bot.yaml --market btcusdc --target 0 --by 1h --style pov --participation 0.05 --limit-price 59800
  marketwright work config/backtest.yaml --market btcusdc --target -2 --by 10m --style almgren-chriss

Exit code 0 when the target is reached, 1 when it is not, 129, 130 or 143 when a signal ended the work. docs/reference/work.md
defines the schedules and every figure of the summary.`;

/** `marketwright work FILE --target BASE --by TIME` */
export function addWork(program: Command, context: CliContext): void {
  program
    .command("work")
    .description(
      "trade a market's position to a target by a time, maker first and within a worst price, and print what it cost; with a backtest's file, on recorded history",
    )
    .argument("<file>", "the bot's YAML file, or a backtest's")
    .option("--market <id>", "the market (default: the only one of the file)")
    .requiredOption("--target <base>", "signed position to hold at the end, in base units")
    .requiredOption("--by <time>", "the end: a duration such as 10m, or a UTC time")
    .option("--style <style>", "twap, pov or almgren-chriss (default: twap)")
    .option("--limit-price <quote>", "no order is worse than this price")
    .option(
      "--max-slippage-bps <bps>",
      "no order is worse than the mid at the start by more (default: 50 without --limit-price)",
    )
    .option("--taker <when>", "take what the schedule has due: behind or never (default: behind)")
    .option("--slices <count>", "parts of the schedule (default: one for each 30 s, from 5 to 120)")
    .option("--participation <share>", "for pov: share of the traded volume (default: 0.1)")
    .option("--risk-aversion <lambda>", "for almgren-chriss: per quote unit (default: 0.0001)")
    .option(
      "--volatility-bps <bps>",
      "for almgren-chriss: basis points per square root of a second (default: measured)",
    )
    .option("--dry-run", "live: use live streams but send nothing: orders are filled on paper")
    .option("--journal <file>", "live: record the run, for marketwright replay")
    .option("--record <folder>", "live: record the session, for marketwright compare")
    .option("--no-screen", "live: log instead of the live screen")
    .option("--out <folder>", "backtest: where the report and work.json are written")
    .option("--replace", "backtest: replace the report in that folder")
    .option("--json", "print one JSON object at the end; no live screen")
    .addHelpText("after", EXAMPLES)
    .action(async (file: string, options: WorkCommandOptions) => {
      const { workCommand } = await import("../../commands/work/work.js");
      await workCommand(context, file, options);
    });
}
