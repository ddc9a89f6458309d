import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { GuardCommandOptions } from "../commands/guard.js";
import type { NotifyCommandOptions } from "../notify/notify-command.js";

/** `marketwright guard bot.yaml` */
export function addGuard(program: Command, context: CliContext): void {
  program
    .command("guard")
    .description(
      "watch the bot's heartbeat and cancel the account's orders when it stops; runs until SIGINT or SIGTERM",
    )
    .argument("<file>", "the bot's YAML file")
    .option("--rest <address>", "REST address of the exchange (default: the file's)")
    .option("--json", "the guard's events as JSON lines on stdout")
    .action(async (file: string, options: GuardCommandOptions) => {
      const { guardCommand } = await import("../commands/guard.js");
      await guardCommand(context, file, options);
    });
}

/** `marketwright notify bot.yaml` */
export function addNotify(program: Command, context: CliContext): void {
  program
    .command("notify")
    .description(
      "send the bot's events to the channels of its file, where no guard runs; runs until SIGINT or SIGTERM",
    )
    .argument("<file>", "the bot's YAML file")
    .option("--test", "send one message to each channel, say which arrived, and exit")
    .option("--json", "with --test: one JSON object on stdout")
    .action(async (file: string, options: NotifyCommandOptions) => {
      const { notifyCommand } = await import("../notify/notify-command.js");
      await notifyCommand(context, file, options);
    });
}
