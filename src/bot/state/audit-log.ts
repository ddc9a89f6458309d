import { renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { maskSecrets } from "../../core/crypto/secrets.js";
import { describeThrown } from "../../core/describe-thrown.js";
import { AppendOnlyFile } from "../../core/files/durable-log.js";
import type { Ms } from "../../core/units.js";

/** Every command to an account's bot, one JSON line each, in its state directory. */
const AUDIT_FILE = "audit.jsonl";
/** The file before the present one; the one before that is deleted. */
const EARLIER_FILE = `${AUDIT_FILE}.1`;
/** Size at which the next line begins a new file: some 5,000 commands. */
const MOST_BYTES = 1 << 20;

/** One command of the audit file. */
export interface AuditEntry {
  readonly atMs: Ms;
  readonly via: "command-line" | "screen" | "cockpit" | "chat";
  readonly command: Readonly<Record<string, unknown>>;
  /** True if the bot only runs on paper, or sends nothing. */
  readonly dryRun?: boolean;
  readonly outcome: "ok" | "error";
  /** Why it failed. */
  readonly error?: string;
}

/**
 * Appends a line to the audit file of a state directory. The line survives any end of this process;
 * a power loss may take the newest ones.
 * @returns why it could not be written; undefined if it was. That never fails the command: a halt
 * must work on a full disk.
 */
export function appendAudit(directory: string, entry: AuditEntry): string | undefined {
  const path = join(directory, AUDIT_FILE);
  try {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size >= MOST_BYTES) renameSync(path, join(directory, EARLIER_FILE));
    // Opened for each line: a command to a bot that does not run comes from another process.
    const file = AppendOnlyFile.open(path, "never", "keep-json");
    try {
      file.append(`${maskSecrets(JSON.stringify(entry))}\n`);
    } finally {
      file.close();
    }
    return undefined;
  } catch (error) {
    return `${path} cannot be written: ${describeThrown(error)}`;
  }
}
