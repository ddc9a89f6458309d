import { type Command, Option } from "commander";
import type { CliContext } from "../../cli-context.js";
import type { WhatIfCommandOptions } from "../../commands/records/whatif.js";

const EXAMPLES = `
Examples:
  marketwright run config/bot.yaml --record session
  marketwright whatif session --set markets.btcusdc.params.halfSpreadBps=4
  marketwright whatif session --set markets.btcusdc.params.levels=2 --set markets.btcusdc.params.sizeBase=0.01
  marketwright whatif session --set markets.btcusdc.params.halfSpreadBps=4 --fit-out fit.json

Exit code 0: answered; 1: the recording cannot answer; 2: a wrong change or session.`;

/** `marketwright whatif session --set PATH=VALUE` */
export function addWhatIf(program: Command, context: CliContext): void {
  program
    .command("whatif")
    .description(
      "estimate how a recorded session's profit would have changed with other values: its bot is run again with both, by the fill model fitted to the session",
    )
    .argument("<session>", "the folder of a recorded session")
    .requiredOption(
      "--set <path=value>",
      "a new value, as marketwright set takes it; may be repeated",
      (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
    )
    .addOption(
      new Option("--level <level>", "level of the interval")
        .choices(["0.5", "0.8", "0.9", "0.95"])
        .default("0.8"),
    )
    .option("--fit-out <file>", "write the fitted fill model, which a backtest's fills.fit loads")
    .option("--json", "JSON on stdout")
    .addHelpText("after", EXAMPLES)
    .action(async (session: string, options: WhatIfCommandOptions) => {
      const { whatIfCommand } = await import("../../commands/records/whatif.js");
      await whatIfCommand(context, session, options);
    });
}
