import type { Command } from "commander";
import { SHAPES } from "../../../history/import/formats/shape-names.js";
import { DEFAULT_STORE } from "../../../history/store/default-store.js";
import type { CliContext } from "../../cli-context.js";
import type { ImportCommandOptions } from "../../commands/data/data-import.js";

const EXAMPLES = `
Examples:
  marketwright data import BTCUSDT-trades-2024-08-08.zip --market btcusdt
  marketwright data import trades.ndjson.gz books.ndjson.gz --market btcusdt --clock-parts 13385
  marketwright data import binance_incremental_book_L2.csv.gz --market btcusdt --symbol BTCUSDT
  marketwright data import ticks.parquet --market eth --kind trades --columns time=ts,price=px,amount=qty,side=side --time-unit us

All files of one command must come from one recording: they share the recorder's clock, which is corrected if it ran behind
the exchange's. A mapping applies to the files that it names, or to all. A file of a known shape that lacks the mapping's
columns is read by its shape. Shapes: ${SHAPES.join(", ")}. They are described in docs/reference/import-formats.md.`;

/** `marketwright data import FILE...` */
export function addDataImport(data: Command, context: CliContext): void {
  data
    .command("import")
    .description("import trades, books, candles and other history from files")
    .argument("<files...>", "CSV, NDJSON or Parquet, plain, gzipped or zipped")
    .requiredOption("--market <id>", "the market of the files, by its name in the store")
    .option("--store <folder>", "the folder of the history", DEFAULT_STORE)
    .option("--symbol <name>", "the market's name in files that hold several")
    .option("--shape <shape>", "the shape of the files, if their first line does not show it")
    .option("--interval <interval>", "length of a candle, such as 15M (default: found in the data)")
    .option(
      "--mapping <file>",
      "a YAML file that names the columns: one mapping, or a list of them under mappings",
    )
    .option("--kind <kind>", "with --columns: the kind of history in the file, such as trades")
    .option(
      "--columns <pairs>",
      "with --kind: comma-separated pairs field=column; a column is its name, or its number from 0, as in time=0,price=1",
    )
    .option("--time-unit <unit>", "with --kind: s, ms, us, ns or iso (default: ms)")
    .option("--recv-time-unit <unit>", "with --kind: unit of the local timestamps, if it differs")
    .option(
      "--amount-unit <unit>",
      "with --kind: the unit of amounts, base or contracts (default: found in the names)",
    )
    .option(
      "--mapped-files <names>",
      "with --kind: comma-separated names of the files that it applies to, * for any text; others are read by their shape",
    )
    .option(
      "--clock-parts <places>",
      "comma-separated line numbers of the recording at which another one begins",
    )
    .option(
      "--clock-offset-ns <ns>",
      "add this to local timestamps, instead of the correction found in the data",
    )
    .option("--base-latency-ns <ns>", "latency of the fastest message after a correction", "0")
    .option("--replace", "replace the store's rows of the same days")
    .option("--round", "round numbers of more than 15 digits to 15, such as 0.30000000000000004")
    .option(
      "--drop-bad-rows <rows>",
      "skip up to so many unusable rows of each file, and report their number",
    )
    .option("--json", "JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (files: readonly string[], options: ImportCommandOptions) => {
      const { dataImportCommand } = await import("../../commands/data/data-import.js");
      await dataImportCommand(context, files, options);
    });
}
