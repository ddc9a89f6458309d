import type { Command } from "commander";
import type { CliContext } from "../../cli-context.js";
import type { RehearseCommandOptions } from "../../commands/rehearsal/rehearse.js";

const EXAMPLES = `
Examples:
  marketwright rehearse bot.yaml
  marketwright rehearse bot.yaml --seeds 100 --out rehearsal
  marketwright rehearse bot.yaml --fault stream-stalled --seeds 1 --first-seed 17

Runs the bot with its strategy, limits and guard on a simulated exchange in this process, with a key of its own; it uses no
key of yours and changes no file of the bot. One seed and one fault print that run in detail. Exit code 1 if a weakness was
found.`;

/** `marketwright rehearse FILE` */
export function addRehearse(program: Command, context: CliContext): void {
  program
    .command("rehearse")
    .description(
      "run the bot on simulated markets under each kind of fault, and show what each costs and which settings are weak",
    )
    .argument("<file>", "the bot's YAML file")
    .option(
      "--exchange <file>",
      "the embedded exchange's YAML, with its markets (default: exchange.yaml beside the bot's file, or else synthetic markets)",
    )
    .option("--seeds <count>", "number of seeds (default: 20)")
    .option("--first-seed <seed>", "the first of them (default: 1)")
    .option(
      "--fault <kind>",
      "only this kind of fault; may be repeated (default: all that apply to the file)",
      (kind: string, before: readonly string[]) => [...before, kind],
      [],
    )
    .option("--minutes <minutes>", "length of each run (default: 5)")
    .option("--no-guard", "without the bot's guard")
    .option("--threads <count>", "number of worker threads (default: one for each core)")
    .option("--out <folder>", "where rehearsal.html and rehearsal.json are written")
    .option("--replace", "replace the rehearsal in that folder")
    .option("--json", "JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (file: string, options: RehearseCommandOptions) => {
      const { rehearseCommand } = await import("../../commands/rehearsal/rehearse.js");
      await rehearseCommand(context, file, options);
    });
}
