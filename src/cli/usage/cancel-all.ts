import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { CancelAllCommandOptions } from "../commands/cancel-all.js";

/** `marketwright cancel-all bot.yaml` */
export function addCancelAll(program: Command, context: CliContext): void {
  program
    .command("cancel-all")
    .description(
      "halt the bot if it is running, cancel all orders of the account in the file's markets, and list who placed them",
    )
    .argument("<file>", "the bot's YAML file; the bot need not run")
    .option("--market <id>", "only this market (default: all markets of the file)")
    .option("--json", "JSON on stdout")
    .action(async (file: string, options: CancelAllCommandOptions) => {
      const { cancelAllCommand } = await import("../commands/cancel-all.js");
      await cancelAllCommand(context, file, options);
    });
}
