import type { Command } from "commander";
import { DEFAULT_STORE } from "../../../history/store/default-store.js";
import type { CliContext } from "../../cli-context.js";
import type { DownloadCommandOptions } from "../../commands/data/data-download.js";

const EXAMPLES = `
Examples:
  marketwright data download --exchange http://127.0.0.1:8620/v1 --market btcusdc --from 2026-11-01 --to 2026-11-08
  marketwright data download --exchange config/bot.yaml --market btcusdc --from 2026-11-21T12:00:00Z --to 2026-11-22 --kinds trades,klines-15M

The command downloads only what the store lacks, so an interrupted download can be continued. Exit code 1 if the trades
contradict the candles.`;

/** `marketwright data download` */
export function addDataDownload(data: Command, context: CliContext): void {
  data
    .command("download")
    .description("download history from an exchange, within its rate limits")
    .requiredOption("--exchange <where>", "its REST address, or a bot's file that names it")
    .requiredOption("--market <id>", "the market")
    .requiredOption("--from <instant>", "a UTC day or time, inclusive")
    .requiredOption("--to <instant>", "a UTC day or time, exclusive")
    .option(
      "--kinds <kinds>",
      "comma-separated: trades, klines-1M, mark-klines-1M, funding",
      "trades,klines-1M,mark-klines-1M,funding",
    )
    .option("--store <folder>", "the folder of the history", DEFAULT_STORE)
    .option("--json", "JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (options: DownloadCommandOptions) => {
      const { dataDownloadCommand } = await import("../../commands/data/data-download.js");
      await dataDownloadCommand(context, options);
    });
}
