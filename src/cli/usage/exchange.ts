import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { ExchangeCommandOptions } from "../commands/exchange.js";

/** `marketwright exchange [exchange.yaml]` */
export function addExchange(program: Command, context: CliContext): void {
  program
    .command("exchange")
    .description("run the embedded exchange alone, REST and websocket, until SIGINT or SIGTERM")
    .argument("[file]", "the exchange's YAML file (default: the one of the package)")
    .option("--port <number>", "this port instead of the file's; 0 takes any free one")
    .option(
      "--rpc-port <number>",
      "this port for the chain instead of the file's; 0 takes any free one",
    )
    .option("--dialect <name>", "also speak another exchange's interface: binance-usdm")
    .option("--dialect-port <number>", "this port for the dialect; 0 takes any free one")
    .option(
      "--faults-port <number>",
      "open the admin endpoint of faults on this port; 0 takes any free one",
    )
    .option("--json", "print where it listens, as one line of JSON")
    .action(async (file: string | undefined, options: ExchangeCommandOptions) => {
      const { exchangeCommand } = await import("../commands/exchange.js");
      await exchangeCommand(context, file, options);
    });
}
