import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { CompareCommandOptions } from "../commands/compare.js";

const EXAMPLES = `
Examples:
  marketwright run config/bot.yaml --record session
  marketwright compare session config/backtest.yaml
  marketwright compare session --fit --json

LIVE is a folder that run --record wrote. BACKTEST is a backtest's YAML file, or the folder of a report: the replay uses its
fill models. Without BACKTEST, and with --fit, the replay uses the recorded latencies. The interval, the bot's file and the
exchange's rules always come from the session.`;

/** `marketwright compare LIVE [BACKTEST]` */
export function addCompare(program: Command, context: CliContext): void {
  program
    .command("compare")
    .description(
      "compare a recorded session with a replay of it: intents, orders, fills, profit, and the cause of each difference in fills",
    )
    .argument("<live>", "the folder of a recorded session")
    .argument("[backtest]", "a backtest's YAML, or the folder of its report")
    .option("--fit", "find the queue model and latencies whose fills match the recorded ones best")
    .option("--json", "print the comparison as JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (live: string, backtest: string | undefined, options: CompareCommandOptions) => {
      const { compareCommand } = await import("../commands/compare.js");
      await compareCommand(context, live, backtest, options);
    });
}
