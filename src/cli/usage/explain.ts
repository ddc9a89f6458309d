import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { ExplainCommandOptions } from "../commands/explain.js";

/** `marketwright explain bot.yaml` */
export function addExplain(program: Command, context: CliContext): void {
  program
    .command("explain")
    .description(
      "show the bot's quotes for the present market and why: worst-case inventory, margin use, distance to liquidation, ORDER tokens, and planned takeovers; sends no order",
    )
    .argument("<file>", "the bot's YAML file")
    .option("--within <duration>", "how long to wait for every market's answer (default: 10s)")
    .option("--json", "JSON on stdout")
    .action(async (file: string, options: ExplainCommandOptions) => {
      const { explainCommand } = await import("../commands/explain.js");
      await explainCommand(context, file, options);
    });
}
