import { Argument, type Command } from "commander";
import type { CliContext } from "../cli-context.js";
import type { KeyAction, KeyCommandOptions } from "../commands/key.js";

const ACTIONS: readonly KeyAction[] = ["new", "import", "address"];

/** `marketwright key new|import|address FILE` */
export function addKey(program: Command, context: CliContext): void {
  program
    .command("key")
    .description(
      "create an encrypted keystore with a new private key, import a key into one, or show its address",
    )
    .addArgument(new Argument("<action>", "the action").choices(ACTIONS))
    .argument(
      "<file>",
      "the keystore's file; new and import create it with mode 0600 and never overwrite a file",
    )
    .option(
      "--password-env <name>",
      "environment variable that holds the password (default: the command prompts for it)",
    )
    .option("--password-file <file>", "file whose first line is the password")
    .option(
      "--key-env <name>",
      "import: environment variable that holds the private key (default: the command prompts for it)",
    )
    .option("--key-file <file>", "import: file that holds the private key")
    .option("--json", "JSON on stdout")
    .action(async (action: KeyAction, file: string, options: KeyCommandOptions) => {
      const { keyCommand } = await import("../commands/key.js");
      await keyCommand(context, action, file, options);
    });
}
