import type { Command } from "commander";
import { DEFAULT_STORE } from "../../../history/store/default-store.js";
import type { CliContext } from "../../cli-context.js";
import type { ListCommandOptions } from "../../commands/data/data-list.js";

/** `marketwright data list` */
export function addDataList(data: Command, context: CliContext): void {
  data
    .command("list")
    .description("what the store has: span, rows, gaps, checksum")
    .option("--store <folder>", "the folder of the history", DEFAULT_STORE)
    .option("--market <id>", "of this market alone")
    .option("--kind <kind>", "of this kind alone, such as trades or klines-1M")
    .option("--days", "a line a day, with its checksum")
    .option("--verify", "read every file against its checksum")
    .option("--json", "JSON on stdout")
    .addHelpText(
      "after",
      "\nExamples:\n  marketwright data list\n  marketwright data list --market btcusdc --kind trades --days --verify\n\nA file that is broken or foreign is named, and so is a store, market or kind that is not there; the exit code is 1 then. What a killed recording, download or import left is named too, with what to do.",
    )
    .action(async (options: ListCommandOptions) => {
      const { dataListCommand } = await import("../../commands/data/data-list.js");
      await dataListCommand(context, options);
    });
}
