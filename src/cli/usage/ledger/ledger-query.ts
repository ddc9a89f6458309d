import { type Command, Option } from "commander";
import type { CliContext } from "../../cli-context.js";
import type { LedgerQueryOptions } from "../../commands/ledger/ledger-query.js";

const EXAMPLES = `
Examples:
  marketwright ledger query bot.yaml "SELECT kind, asset, sum(amount) FROM entries GROUP BY ALL"
  marketwright ledger query "SELECT time::DATE AS day, sum(realised_profit) FROM fills GROUP BY day ORDER BY day"

Tables: entries (a row a line of the export), fills (a row a trade) and liquidations (a row an opportunity). The SQL is
DuckDB's. The statement reaches neither files nor the network.`;

/** `marketwright ledger query [bot.yaml] SQL` */
export function addLedgerQuery(ledger: Command, context: CliContext): void {
  ledger
    .command("query")
    .description("answer one SELECT over the ledger")
    .argument("<words...>", "the bot's YAML file (default: bot.yaml), then the statement")
    .addOption(
      new Option("--format <format>", "of the answer")
        .choices(["table", "csv", "json"])
        .default("table"),
    )
    .option("--from <instant>", "a UTC day or time, inclusive")
    .option("--to <instant>", "a UTC day or time, exclusive")
    .option("--offline", "use the bot's files alone, without the exchange")
    .option("--json", "the same as --format json")
    .addHelpText("after", EXAMPLES)
    .action(async (words: readonly string[], options: LedgerQueryOptions) => {
      const { ledgerQueryCommand } = await import("../../commands/ledger/ledger-query.js");
      await ledgerQueryCommand(context, words, options);
    });
}
