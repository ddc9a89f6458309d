import { existsSync } from "node:fs";
import { FileStateStore } from "../../bot/state/state-dir.js";

/**
 * Opens the state of an account that a bot has run for; undefined if none has, without creating a
 * folder.
 */
export function openExistingState(directory: string): FileStateStore | undefined {
  return existsSync(directory) ? new FileStateStore(directory) : undefined;
}
