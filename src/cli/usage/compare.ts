import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { CompareCommandOptions } from "../commands/compare.js";

const EXAMPLES = `
Examples:
  marketwright run config/bot.yaml --record session
  marketwright compare session config/backtest.yaml
  marketwright compare session --fit --json

LIVE is a folder that run --record has made. BACKTEST is a backtest's YAML, or the folder of a report, whose fill models are taken; without it, and
with --fit, the recording's own latencies. The interval, the config and the rules are those of the session.`;

/** `marketwright compare LIVE [BACKTEST]` */
export function addCompare(program: Command, context: CliContext): void {
  program
    .command("compare")
    .description(
      "compare a recorded session with its replay: intents, orders, fills and profit, and why each fill differs",
    )
    .argument("<live>", "the folder of a recorded session")
    .argument("[backtest]", "a backtest's YAML, or the folder of its report")
    .option(
      "--fit",
      "find the queue model and latencies whose fills are most like the recorded ones",
    )
    .option("--json", "the comparison as JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (live: string, backtest: string | undefined, options: CompareCommandOptions) => {
      const { compareCommand } = await import("../commands/compare.js");
      await compareCommand(context, live, backtest, options);
    });
}
