import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { CheckCommandOptions } from "../commands/check.js";

/** `marketwright check bot.yaml [--connect]` */
export function addCheck(program: Command, context: CliContext): void {
  program
    .command("check")
    .description("validate a bot's file; with --connect, also the exchange that it names")
    .argument("<file>", "the bot's YAML file")
    .option(
      "--connect",
      "also check the exchange: clock, EIP-712 domain, markets, fee rates, margin, orders of others, market and account streams, and the chain of a liquidator",
    )
    .option("--within <duration>", "how long to wait for the streams' first data (default: 10s)")
    .option("--json", "JSON on stdout")
    .action(async (file: string, options: CheckCommandOptions) => {
      const { checkCommand } = await import("../commands/check.js");
      await checkCommand(context, file, options);
    });
}
