import type { Command } from "commander";
import { DEFAULT_KEY_ENV, DEFAULT_REST } from "../call-defaults.js";
import type { CliContext } from "../cli-context.js";
import type { CallCommandOptions } from "../commands/call.js";

/** `marketwright call ENDPOINT [key=value ...]` */
export function addCall(program: Command, context: CliContext): void {
  program
    .command("call")
    .description(
      "send one REST request, signed if the endpoint is private; print the response as JSON",
    )
    .argument(
      "<endpoint>",
      "an operation's name, such as orderbook, or its path, such as /v1/orderbook or DELETE /v1/order",
    )
    .argument("[parameters...]", "key=value")
    .option("--bot <file>", "take the exchange's address and the account from a bot's file")
    .option("--rest <address>", `the exchange's REST address (default: ${DEFAULT_REST})`)
    .option(
      "--key-env <name>",
      `environment variable that holds the private key (default: ${DEFAULT_KEY_ENV})`,
    )
    .option("--json", "no effect: the response is always JSON")
    .action(
      async (endpoint: string, parameters: readonly string[], options: CallCommandOptions) => {
        const { callCommand } = await import("../commands/call.js");
        await callCommand(context, endpoint, parameters, options);
      },
    );
}
