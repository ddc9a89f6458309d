import { CommanderError } from "commander";
import { ConfigError, MarketwrightError } from "../../core/errors.js";
import { EXIT, type ExitCode, exitCodeForSignal } from "./exit-code.js";
import { fileLimitAdvice } from "./process-end.js";

/** A command completed with a negative result, which it has already printed on stdout. */
export class ReportedFailure extends MarketwrightError {
  readonly exitCode: ExitCode = EXIT.failure;

  constructor() {
    super("the command has reported a failure");
  }
}

/** A command was interrupted before it was done. */
export class Interrupted extends MarketwrightError {
  readonly exitCode: ExitCode;

  /** @param by the signal, or another cause. @param left text about the completed part. */
  constructor(by: string, left: string) {
    super(`interrupted (${by}): ${left}`);
    this.exitCode = exitCodeForSignal(by);
  }
}

/** The exit code for an error. */
export function exitCodeFor(error: unknown): ExitCode {
  if (error instanceof ReportedFailure || error instanceof Interrupted) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  return error instanceof ConfigError ? EXIT.usage : EXIT.failure;
}

/** Formats an error as the one line that a user reads; an unexpected error includes its stack. */
export function errorText(error: unknown): string {
  if (error instanceof MarketwrightError) return `marketwright: ${error.message}\n`;
  // Newer versions of Node load modules one by one, so any import may hit the limit.
  const limit = fileLimitAdvice(error);
  if (limit !== undefined) return `marketwright: ${limit}\n`;
  if (error instanceof Error) return `marketwright: unexpected ${error.stack ?? error.message}\n`;
  return `marketwright: unexpected ${String(error)}\n`;
}
