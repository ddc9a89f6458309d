import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { StartCommandOptions } from "../commands/start.js";

/** `marketwright start`: the command behind `npm start`. */
export function addStart(program: Command, context: CliContext): void {
  program
    .command("start")
    .description(
      "start the embedded exchange, a market-making bot with a fresh key, and its guard; Ctrl-C ends all three",
    )
    .argument("[file]", "the bot's YAML file (default: the one of the package)")
    .option("--exchange <file>", "the exchange's YAML file (default: the one of the package)")
    .option("--competitor <file>", "also run this bot, with another fresh key, against the first")
    .option(
      "--hedge-exchange <file>",
      "also run this exchange in the dialect binance-usdm, with a key for the bot's hedge venue",
    )
    .option(
      "--hedge-port <number>",
      "this port for the hedge exchange instead of the file's; 0 takes any free one",
    )
    .option(
      "--hedge-dialect-port <number>",
      "this port for its dialect instead of the file's; 0 takes any free one",
    )
    .option(
      "--port <number>",
      "this port for the exchange instead of the file's; 0 takes any free one",
    )
    .option(
      "--rpc-port <number>",
      "this port for the chain instead of the file's; 0 takes any free one",
    )
    .option(
      "--metrics-port <number>",
      "this port for the metrics instead of the bot file's; 0 takes any free one",
    )
    .option(
      "--cockpit-port <number>",
      "this port for the cockpit instead of the bot file's; 0 takes any free one",
    )
    .option("--for <duration>", "stop after this time: 30s, 5m, 1h")
    .option("--json", "print one JSON object at the end; no live screen")
    .option("--no-screen", "log instead of the live screen")
    .action(async (file: string | undefined, options: StartCommandOptions) => {
      const { startCommand } = await import("../commands/start.js");
      await startCommand(context, file, options);
    });
}
