import type { Command } from "commander";
import { DEFAULT_STORE } from "../../../history/store/default-store.js";
import type { CliContext } from "../../cli-context.js";
import type { RecordCommandOptions } from "../../commands/data/data-record.js";

const EXAMPLES = `
Examples:
  marketwright data record --exchange http://127.0.0.1:8620/v1 --market btcusdc --for 1h
  marketwright data record --exchange config/bot.yaml --market btcusdc --own

With a bot's file whose market has a reference, its sources are recorded too, each under its own name.

The command records for the time of --for, or until Ctrl-C, then writes the records to the store. If a recording was killed,
the next recording of the same market stores its records.`;

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
