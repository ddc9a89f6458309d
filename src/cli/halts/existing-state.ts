import { existsSync } from "node:fs";
import { FileStateStore } from "../../bot/state/state-dir.js";

/** The state of an account that a bot has run for; undefined, and no folder made, where none has. */
export function openExistingState(directory: string): FileStateStore | undefined {
  return existsSync(directory) ? new FileStateStore(directory) : undefined;
}
