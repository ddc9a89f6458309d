import { type Command, Option } from "commander";
import type { CliContext } from "../../cli-context.js";
import type { LedgerExportOptions } from "../../commands/ledger/ledger-export.js";

const EXAMPLES = `
Examples:
  marketwright ledger export bot.yaml --out ledger.csv
  marketwright ledger export bot.yaml --format parquet --out 2026-11.parquet --from 2026-11-01 --to 2026-12-01
  marketwright ledger export bot.yaml --offline

The columns and signs are in docs/reference/ledger.md. The command only reads: beside a running bot too. Exit code 1 if the
exchange's balances differ from the ledger, or two records of one trade do; every difference is named.`;

/** `marketwright ledger export bot.yaml` */
export function addLedgerExport(ledger: Command, context: CliContext): void {
  ledger
    .command("export")
    .description("write every change of the account, with running balances, and reconcile it")
    .argument("<file>", "the bot's YAML file")
    .addOption(
      new Option("--format <format>", "of the output").choices(["csv", "parquet"]).default("csv"),
    )
    .option("--out <path>", "the file to write; - is stdout (default: -)")
    .addOption(new Option("--output <path>", "the former name of --out").hideHelp())
    .option("--from <instant>", "a UTC day or time, inclusive")
    .option("--to <instant>", "a UTC day or time, exclusive")
    .option("--offline", "use the bot's files alone, without the exchange")
    .option("--json", "the summary as JSON: on stdout, or on stderr if stdout has the ledger")
    .addHelpText("after", EXAMPLES)
    .action(async (file: string, options: LedgerExportOptions) => {
      const { ledgerExportCommand } = await import("../../commands/ledger/ledger-export.js");
      await ledgerExportCommand(context, file, options);
    });
}
