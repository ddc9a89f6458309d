import { CommanderError } from "commander";
import { ConfigError, MarketwrightError } from "../core/errors.js";

/** How the process ends: well, failed at run time, or used or configured wrongly. */
export const EXIT = { ok: 0, failure: 1, usage: 2 } as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command ran to its end and found that not all is well; what it had to say is on stdout already. */
export class NotWell extends MarketwrightError {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode = EXIT.failure) {
    super("not all is well");
    this.exitCode = exitCode;
  }
}

/** The exit code that an error ends the process with. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof NotWell) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  return error instanceof ConfigError ? EXIT.usage : EXIT.failure;
}

/** An error as the one line that a user reads; an error that nobody foresaw comes with its stack. */
export function errorText(error: unknown): string {
  if (error instanceof MarketwrightError) return `marketwright: ${error.message}\n`;
  if (error instanceof Error) return `marketwright: unexpected ${error.stack ?? error.message}\n`;
  return `marketwright: unexpected ${String(error)}\n`;
}
