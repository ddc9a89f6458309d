import type { Command } from "commander";
import type { CliContext } from "../../cli-context.js";
import { addLedgerExport } from "./ledger-export.js";
import { addLedgerLiquidations } from "./ledger-liquidations.js";
import { addLedgerQuery } from "./ledger-query.js";

/** `marketwright ledger export|query|liquidations` */
export function addLedger(program: Command, context: CliContext): void {
  const ledger = program
    .command("ledger")
    .description("export and query an account's books: fills, fees, funding, transfers, takeovers")
    .addHelpText("after", "\nEach command has --json and --help. All times are UTC.");
  addLedgerExport(ledger, context);
  addLedgerQuery(ledger, context);
  addLedgerLiquidations(ledger, context);
  for (const command of ledger.commands) {
    command
      .exitOverride()
      .configureOutput({
        writeOut: (text) => context.stdout.write(text),
        writeErr: (text) => context.stderr.write(text),
      })
      .showHelpAfterError(
        `(marketwright ledger ${command.name()} --help shows the arguments and options)`,
      );
  }
}
