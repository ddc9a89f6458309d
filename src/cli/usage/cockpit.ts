import type { Command } from "commander";
import type { CliContext } from "../cli-context.js";

/** `marketwright cockpit [bot.yaml]`: a fresh link to the page of the running bots. */
export function addCockpit(program: Command, context: CliContext): void {
  program
    .command("cockpit")
    .description("print a fresh link to the page that shows all running bots; it works once")
    .argument("[file]", "the file of the bot whose cockpit it is (default: any running bot)")
    .option("--json", "one JSON object on stdout: the url")
    .action(async (file: string | undefined, options: { readonly json?: boolean }) => {
      const { cockpitCommand } = await import("../commands/cockpit.js");
      await cockpitCommand(context, file, options);
    });
}
