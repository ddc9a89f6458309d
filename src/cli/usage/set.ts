import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";

interface SetOptions {
  readonly preview?: boolean;
  readonly save?: boolean;
  readonly json?: boolean;
}

/** `marketwright set bot.yaml path=value ...` and `marketwright reload bot.yaml`. */
export function addSet(program: Command, context: CliContext): void {
  program
    .command("set")
    .description(
      "change values of a running bot, such as markets.btcusdc.params.halfSpreadBps=5: all of them in one turn, or none. Orders that are still right stay",
    )
    .argument("<file>", "the bot's file")
    .argument("[changes...]", "path=value, as the file would have it; path=null removes the key")
    .option("--preview", "only show the difference: nothing changes")
    .option("--save", "write the values that differ back to the file; its comments stay")
    .option("--json", "the whole status and the difference, as JSON on stdout")
    .addHelpText(
      "after",
      "\nExamples:\n  marketwright set bot.yaml markets.btcusdc.params.halfSpreadBps=5 risk.maxLeverage=3\n  marketwright set bot.yaml 'risk.ladder.inventory=[{ fromFraction: 0.5, action: widen }]' --preview\n  marketwright set bot.yaml --save",
    )
    .action(async (file: string, changes: readonly string[], options: SetOptions) => {
      const { setCommand } = await import("../commands/set.js");
      await setCommand(context, file, { changes, ...options });
    });
  program
    .command("reload")
    .description("let a running bot take the values of its edited file: all of them, or none")
    .argument("<file>", "the bot's file")
    .option("--preview", "only show the difference: nothing changes")
    .option("--json", "the whole status and the difference, as JSON on stdout")
    .action(async (file: string, options: SetOptions) => {
      const { reloadCommand } = await import("../commands/set.js");
      await reloadCommand(context, file, options);
    });
}
