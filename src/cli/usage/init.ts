import type { Command } from "commander";
import { DEFAULT_KEY_ENV, DEFAULT_REST } from "../call-defaults.js";
import type { CliContext } from "../cli-context.js";
import type { InitCommandOptions } from "../commands/init.js";
import { TEMPLATE_STRATEGIES } from "../init/bot-templates.js";

/** `marketwright init [bot.yaml]` */
export function addInit(program: Command, context: CliContext): void {
  program
    .command("init")
    .description(
      "write a bot's file with sizes, spreads and limits that fit the exchange, each with its reason; on a terminal, asks what no option says",
    )
    .argument("[file]", "the YAML file to write (default: bot.yaml)")
    .option(
      "--template [name]",
      "the kind of bot, or a strategy's name; without a name, lists them",
    )
    .option("--exchange <address>", `the exchange's REST address (default: ${DEFAULT_REST})`)
    .option("--stream <address>", "its websocket address (default: the REST address as ws)")
    .option(
      "--market <id>",
      "a market; again for each further one (default: the one with the most volume)",
      (id: string, before: readonly string[] | undefined) => [...(before ?? []), id],
    )
    .option(
      "--strategy [name]",
      `${TEMPLATE_STRATEGIES.join(", ")}, the path of your own or npm:PACKAGE (default: ladder); with a new folder, or without a name, writes a repository for a strategy of your own: code, tests, bot and backtest`,
    )
    .option("--risk <appetite>", "careful, balanced or bold (default: balanced)")
    .option(
      "--balance <amount>",
      "balance to plan with, in quote (default: the account's, or else 10000)",
    )
    .option(
      "--key-env <name>",
      `environment variable that holds the private key (default: ${DEFAULT_KEY_ENV})`,
    )
    .option("--keystore <file>", "encrypted keystore in place of --key-env")
    .option("--password-env <name>", "environment variable that holds the keystore's password")
    .option("--password-file <file>", "file whose first line is the keystore's password")
    .option("--rpc <address>", "a liquidator's JSON-RPC address of the chain")
    .option("--rpc-env <name>", "environment variable that holds that address")
    .option("--yes", "ask nothing: take the defaults, and say which")
    .option("--force", "replace an existing file, and keep the old one beside it")
    .option("--json", "JSON on stdout; asks nothing")
    .action(async (file: string | undefined, options: InitCommandOptions) => {
      const { initCommand } = await import("../commands/init.js");
      await initCommand(context, file, options);
    });
}
