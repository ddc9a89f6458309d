import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import { addDataDownload } from "./data/data-download.js";
import { addDataImport } from "./data/data-import.js";
import { addDataList } from "./data/data-list.js";
import { addDataRecord } from "./data/data-record.js";

/** `marketwright data download|record|import|list` */
export function addData(program: Command, context: CliContext): void {
  const data = program
    .command("data")
    .description("download, record, import and list market history")
    .addHelpText("after", "\nEach command has --json and --help.");
  addDataDownload(data, context);
  addDataRecord(data, context);
  addDataImport(data, context);
  addDataList(data, context);
  for (const command of data.commands) {
    command
      .exitOverride()
      .configureOutput({
        writeOut: (text) => context.stdout.write(text),
        writeErr: (text) => context.stderr.write(text),
      })
      .showHelpAfterError(
        `(marketwright data ${command.name()} --help shows the arguments and options)`,
      );
  }
}
