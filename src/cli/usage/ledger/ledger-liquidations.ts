import type { Command } from "commander";
import type { CliContext } from "../../cli-context.js";
import type { LedgerLiquidationsOptions } from "../../commands/ledger/ledger-liquidations.js";

const EXAMPLES = `
Examples:
  marketwright ledger liquidations bot.yaml --from 2026-11-01 --to 2026-12-01

The list is of the liquidator's own ledger, without the exchange. The stages are in docs/reference/ledger.md.`;

/** `marketwright ledger liquidations bot.yaml` */
export function addLedgerLiquidations(ledger: Command, context: CliContext): void {
  ledger
    .command("liquidations")
    .description(
      "list the liquidations that were not won: what each would have earned, and why not",
    )
    .argument("<file>", "the bot's YAML file")
    .option("--from <instant>", "a UTC day or time, inclusive, of the first sight")
    .option("--to <instant>", "a UTC day or time, exclusive")
    .option("--json", "JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (file: string, options: LedgerLiquidationsOptions) => {
      const { ledgerLiquidationsCommand } = await import(
        "../../commands/ledger/ledger-liquidations.js"
      );
      ledgerLiquidationsCommand(context, file, options);
    });
}
