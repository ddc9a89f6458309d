import type { BotConfig } from "../../bot/config/config.js";
import { readBuiltHashes } from "../../bot/state/server-built-hashes.js";
import { stateDirFor } from "../../bot/state/state-dir.js";
import type { Hex } from "../../core/units.js";
import { openExistingState } from "./existing-state.js";

/**
 * Loads the hashes of server-built orders that the account's bot stored before it sent them. Empty
 * if it never ran.
 * @throws CorruptStateError when the file is not what a bot writes.
 */
export function loadServerBuiltHashes(
  config: Pick<BotConfig, "stateDir" | "path">,
  account: Hex,
): ReadonlySet<string> {
  const store = openExistingState(stateDirFor(config, account));
  return new Set(store === undefined ? [] : readBuiltHashes(store));
}
