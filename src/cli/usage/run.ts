import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { RunCommandOptions } from "../commands/run.js";

/** `marketwright run bot.yaml` */
export function addRun(program: Command, context: CliContext): void {
  program
    .command("run")
    .description(
      "run a bot until SIGINT or SIGTERM; before it exits, it cancels its orders and waits until they are closed",
    )
    .argument("<file>", "the bot's YAML file")
    .option("--for <duration>", "stop after this time: 30s, 5m, 1h")
    .option("--json", "print one JSON object at the end; no live screen")
    .option("--dry-run", "use live streams but send nothing: orders are filled on paper")
    .option("--no-fills", "in a dry run: fill nothing, only log the planned orders")
    .option("--journal <file>", "record the run, for marketwright replay")
    .option(
      "--record <folder>",
      "record the session, its market, orders, fills and intents, for marketwright compare",
    )
    .option("--no-screen", "log instead of the live screen")
    .action(async (file: string, options: RunCommandOptions) => {
      const { runCommand } = await import("../commands/run.js");
      await runCommand(context, file, options);
    });
}
