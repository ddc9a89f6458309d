import type { Command } from "commander";
import { DEFAULT_STORE } from "../../../history/store/default-store.js";
import type { CliContext } from "../../cli-context.js";
import type { ListCommandOptions } from "../../commands/data/data-list.js";

/** `marketwright data list` */
export function addDataList(data: Command, context: CliContext): void {
  data
    .command("list")
    .description("list the contents of the store: span, rows, gaps, checksum")
    .option("--store <folder>", "the folder of the history", DEFAULT_STORE)
    .option("--market <id>", "only this market")
    .option("--kind <kind>", "only this kind, such as trades or klines-1M")
    .option("--days", "one line per day, with its checksum")
    .option("--verify", "read every file against its checksum")
    .option("--json", "JSON on stdout")
    .addHelpText(
      "after",
      "\nExamples:\n  marketwright data list\n  marketwright data list --market btcusdc --kind trades --days --verify\n\nExit code 1 if a file is broken or not of the store, or if the store, market or kind does not exist. The list also shows the\nremains of killed recordings, downloads and imports, and how to finish or remove them.",
    )
    .action(async (options: ListCommandOptions) => {
      const { dataListCommand } = await import("../../commands/data/data-list.js");
      await dataListCommand(context, options);
    });
}
