import type { AnsweredCommand } from "../../bot/control/control-protocol.js";
import type { ControlHandler } from "../../bot/control/control-server.js";
import { appendAudit } from "../../bot/state/audit-log.js";
import { describeThrown } from "../../core/describe-thrown.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Log } from "../../monitoring/log.js";

/** The audit file of a session's commands. */
interface AuditedHandlerOptions {
  /** The state directory. */
  readonly directory: string;
  readonly dryRun: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * A handler that writes each command and its outcome into the audit file, except those that only
 * read. If the file cannot be written, the command is carried out all the same, and both the log
 * and the answer (`auditError`) say so.
 */
export function auditedHandler(
  handler: ControlHandler,
  { directory, dryRun, clock, log }: AuditedHandlerOptions,
): ControlHandler {
  const write = (command: AnsweredCommand, error?: unknown): string | undefined => {
    const { via = "command-line", ...written } = { via: undefined, ...command };
    const auditError = appendAudit(directory, {
      atMs: clock.nowMs(),
      via,
      command: written,
      ...(dryRun ? { dryRun } : {}),
      ...(error === undefined
        ? { outcome: "ok" }
        : { outcome: "error", error: describeThrown(error) }),
    });
    if (auditError !== undefined)
      log.error(
        { command: command.command, error: auditError },
        "a command is not in the audit file",
      );
    return auditError;
  };
  return async (command) => {
    if (isReading(command)) return handler(command);
    let answer: unknown;
    try {
      answer = await handler(command);
    } catch (error) {
      write(command, error);
      throw error;
    }
    const auditError = write(command);
    if (auditError === undefined || typeof answer !== "object" || answer === null) return answer;
    return { ...answer, auditError };
  };
}

/** True for a command that changes nothing. */
function isReading(command: AnsweredCommand): boolean {
  if (command.command === "set" || command.command === "reload") return command.preview;
  return command.command === "status" || command.command === "preview";
}
