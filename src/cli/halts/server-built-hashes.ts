import type { BotConfig } from "../../bot/config/config.js";
import { readBuiltHashes } from "../../bot/state/server-built-hashes.js";
import { stateDirOf } from "../../bot/state/state-dir.js";
import type { Hex } from "../../core/units.js";
import { existingState } from "./existing-state.js";

/**
 * The hashes of server-built orders that the account's bot noted before it sent them. Empty where it never ran.
 * @throws CorruptStateError when the file is not what a bot writes.
 */
export function notedHashesOf(
  config: Pick<BotConfig, "stateDir" | "path">,
  account: Hex,
): ReadonlySet<string> {
  const store = existingState(stateDirOf(config, account));
  return new Set(store === undefined ? [] : readBuiltHashes(store));
}
