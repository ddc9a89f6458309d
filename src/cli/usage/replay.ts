import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { ReplayCommandOptions } from "../commands/replay.js";

/** `marketwright replay FILE` */
export function addReplay(program: Command, context: CliContext): void {
  program
    .command("replay")
    .description(
      "replay a journal: show every decision, and compare every action with the recorded one",
    )
    .argument("<journal>", "a file that marketwright run --journal wrote")
    .option("--quiet", "only the result")
    .option("--json", "only the result, as one JSON object")
    .action(async (journal: string, options: ReplayCommandOptions) => {
      const { replayCommand } = await import("../commands/replay.js");
      await replayCommand(context, journal, options);
    });
}
