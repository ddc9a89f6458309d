import { z } from "zod";
import { BUILT_FILE } from "../bot/answers.js";
import type { BotConfig } from "../bot/config/config.js";
import { readJsonState, stateDirOf } from "../bot/state/state-dir.js";
import type { Hex } from "../core/units.js";
import { existingState } from "./existing-state.js";

const hashesSchema = z.array(z.string());

/**
 * The hashes of server-built orders that the account's bot noted before it sent them. Empty where it never ran.
 * @throws CorruptStateError when the file is not what a bot writes.
 */
export function notedHashesOf(config: Pick<BotConfig, "stateDir" | "path">, account: Hex): ReadonlySet<string> {
  const store = existingState(stateDirOf(config, account));
  const hashes = store === undefined ? [] : (readJsonState(store, BUILT_FILE, (value) => hashesSchema.parse(value)) ?? []);
  return new Set(hashes.map((hash) => hash.toLowerCase()));
}
