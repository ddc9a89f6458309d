import { z } from "zod";
import { ConfigError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import { type FileStateStore, readJsonState } from "./state-dir.js";

/** Whose state a directory holds. */
export const OWNER_FILE = "account.json";

const ownerSchema = z.strictObject({ version: z.literal(1), account: z.string().regex(/^0x[0-9a-fA-F]{40}$/) });

/**
 * Makes a directory the account's own, or finds that it is. Another's peak would halt it, or hide its own loss; its guard would take
 * another bot's heartbeat for the one that it waits for.
 * @throws ConfigError when it is another account's; CorruptStateError when what says whose is broken; RunError when it cannot be written.
 */
export function claimState(store: FileStateStore, account: Hex): void {
  const owner = readJsonState(store, OWNER_FILE, (value) => ownerSchema.parse(value))?.account;
  if (owner === undefined) return store.write(OWNER_FILE, JSON.stringify({ version: 1, account }));
  if (owner.toLowerCase() === account.toLowerCase()) return;
  throw new ConfigError("holds the state of another account", {
    field: "stateDir",
    value: store.directory,
    expected: `a folder of ${account}'s own; this one is ${owner}'s, as its ${OWNER_FILE} says`,
  });
}
