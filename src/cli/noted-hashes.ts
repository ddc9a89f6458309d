import { existsSync } from "node:fs";
import { z } from "zod";
import { BUILT_FILE } from "../bot/answers.js";
import type { BotConfig } from "../bot/config.js";
import { FileStateStore, readJsonState, stateDirOf } from "../bot/state-dir.js";
import type { Hex } from "../core/units.js";

const hashesSchema = z.array(z.string());

/**
 * The hashes of server-built orders that the account's bot noted before it sent them. Empty where it never ran.
 * @throws CorruptStateError when the file is not what a bot writes.
 */
export function notedHashesOf(config: BotConfig, account: Hex): ReadonlySet<string> {
  const directory = stateDirOf(config, account);
  if (!existsSync(directory)) return new Set();
  const hashes = readJsonState(new FileStateStore(directory), BUILT_FILE, (value) => hashesSchema.parse(value)) ?? [];
  return new Set(hashes.map((hash) => hash.toLowerCase()));
}
