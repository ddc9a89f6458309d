import type { Command } from "commander";
import { DEFAULT_STORE } from "../../../history/store/default-store.js";
import type { CliContext } from "../../cli-context.js";
import type { ListCommandOptions } from "../../commands/data/data-list.js";

/** `marketwright data list` */
export function addDataList(data: Command, context: CliContext): void {
  data
    .command("list")
    .description("list what the store has: span, rows, gaps, checksum")
    .option("--store <folder>", "the folder of the history", DEFAULT_STORE)
    .option("--market <id>", "only this market")
    .option("--kind <kind>", "only this kind, such as trades or klines-1M")
    .option("--days", "one line per day, with its checksum")
    .option("--verify", "read every file against its checksum")
    .option("--json", "JSON on stdout")
    .addHelpText(
      "after",
      "\nExamples:\n  marketwright data list\n  marketwright data list --market btcusdc --kind trades --days --verify\n\nThe exit code is 1 if a file is broken or foreign, or if the store, market or kind does not exist; the list names it. It also names what a killed recording, download or import has left, and what to do about it.",
    )
    .action(async (options: ListCommandOptions) => {
      const { dataListCommand } = await import("../../commands/data/data-list.js");
      await dataListCommand(context, options);
    });
}
