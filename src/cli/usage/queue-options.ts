import type { Command } from "commander";

/**
 * Adds the options that name a queue. A password must not be on a command line, which every user of
 * the machine can read.
 */
export function addQueueOptions(command: Command, purpose: string): Command {
  return command
    .option("--queue <address>", `${purpose}: redis://HOST:PORT, without a password`)
    .option(
      "--queue-env <name>",
      "environment variable that holds the queue's address, for one with a password",
    )
    .option(
      "--queue-file <file>",
      "file whose first line is the queue's address, for one with a password",
    );
}
