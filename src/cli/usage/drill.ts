import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { DrillCommandOptions } from "../commands/drill.js";
import { DEFAULT_DRILL_ACCOUNTS } from "../drill-default.js";

/** `marketwright drill bot.yaml`: simulates the liquidator's actions if prices moved. */
export function addDrill(program: Command, context: CliContext): void {
  program
    .command("drill")
    .description(
      "rehearse liquidations on a copy of the chain: move prices until accounts can be liquidated, and execute the bot's transactions there; exit code 0 if the rehearsal ran to its end, even if takeovers failed",
    )
    .argument("<file>", "the bot's YAML file, with a chain and a liquidator")
    .option(
      "--most <number>",
      `at most so many accounts, those nearest to liquidation first (default: ${DEFAULT_DRILL_ACCOUNTS})`,
    )
    .option("--json", "JSON on stdout")
    .action(async (file: string, options: DrillCommandOptions) => {
      const { drillCommand } = await import("../commands/drill.js");
      await drillCommand(context, file, options);
    });
}
