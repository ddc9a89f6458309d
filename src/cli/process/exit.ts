import { CommanderError } from "commander";
import { ConfigError, MarketwrightError } from "../../core/errors.js";
import { EXIT, type ExitCode, exitCodeForSignal } from "./exit-code.js";
import { fileLimitAdvice } from "./process-end.js";

/** A command ran to its end and found that not all is well; what it had to say is on stdout already. */
export class ReportedFailure extends MarketwrightError {
  readonly exitCode: ExitCode = EXIT.failure;

  constructor() {
    super("not all is well");
  }
}

/** A command was told to end before it was done. */
export class Interrupted extends MarketwrightError {
  readonly exitCode: ExitCode;

  /** @param by the signal, or what else ended it. @param left what is to be said of what is done. */
  constructor(by: string, left: string) {
    super(`interrupted (${by}): ${left}`);
    this.exitCode = exitCodeForSignal(by);
  }
}

/** The exit code that an error ends the process with. */
export function exitCodeFor(error: unknown): ExitCode {
  if (error instanceof ReportedFailure || error instanceof Interrupted) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  return error instanceof ConfigError ? EXIT.usage : EXIT.failure;
}

/** An error as the one line that a user reads; an error that nobody foresaw comes with its stack. */
export function errorText(error: unknown): string {
  if (error instanceof MarketwrightError) return `marketwright: ${error.message}\n`;
  // Newer versions of Node load modules one by one, and the limit is met by whoever asked for them.
  const limit = fileLimitAdvice(error);
  if (limit !== undefined) return `marketwright: ${limit}\n`;
  if (error instanceof Error) return `marketwright: unexpected ${error.stack ?? error.message}\n`;
  return `marketwright: unexpected ${String(error)}\n`;
}
