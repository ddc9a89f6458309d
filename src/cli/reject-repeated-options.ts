import type { Command } from "commander";
import { ConfigError } from "../core/errors.js";

/**
 * Makes a command and its subcommands reject an option whose value is given twice. Commander would
 * silently take the last one: a halt of two markets would leave the first one quoting.
 * @param command its parsing throws ConfigError with the option and its second value
 */
export function rejectRepeatedOptions(command: Command): void {
  for (const option of command.options) {
    if (!(option.required || option.optional) || option.variadic) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, (value: string | null) => {
      if (isGiven)
        throw new ConfigError("is given twice", {
          field: option.long ?? option.flags,
          value,
          expected: "each option once",
        });
      isGiven = true;
    });
  }
  for (const below of command.commands) rejectRepeatedOptions(below);
}
