import type { Command } from "commander";
import { DEFAULT_STORE } from "../../../history/store/default-store.js";
import type { CliContext } from "../../cli-context.js";
import type { RecordCommandOptions } from "../../commands/data/data-record.js";

const EXAMPLES = `
Examples:
  marketwright data record --exchange http://127.0.0.1:8620/v1 --market btcusdc --for 1h
  marketwright data record --exchange config/bot.yaml --market btcusdc --own

The command records until --for is over or Ctrl-C, then writes the records to the store. What a killed recording left is written by the
next one of the same market.`;

/** `marketwright data record` */
export function addDataRecord(data: Command, context: CliContext): void {
  data
    .command("record")
    .description(
      "record an exchange's live book, trades and marks, and an account's own orders and fills",
    )
    .requiredOption("--exchange <where>", "its REST address, or a bot's file that names it")
    .requiredOption("--market <id>", "the market")
    .option("--for <duration>", "how long, such as 30m or 12h (default: until interrupted)")
    .option("--own", "with a bot's file: also its account's orders and fills")
    .option(
      "--key-env <name>",
      "record the account whose private key this environment variable holds",
    )
    .option("--store <folder>", "the folder of the history", DEFAULT_STORE)
    .option("--json", "JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (options: RecordCommandOptions) => {
      const { dataRecordCommand } = await import("../../commands/data/data-record.js");
      await dataRecordCommand(context, options);
    });
}
