import { z } from "zod";
import type { Hex } from "../../core/units.js";
import { hash32 } from "../../exchange/protocol/values.js";
import { readJsonState, type StateStore } from "./state-dir.js";

/**
 * The file that holds hashes of server-built orders, written before they are sent
 * (docs/ideas/design.md#order-identity).
 */
export const BUILT_FILE = "built-orders.json";

const hashesSchema = z.array(hash32);

/**
 * The hashes of server-built orders, lower case, that the account's bot noted before it sent them:
 * these carry no tag of its own. Empty where there were none.
 * @throws CorruptStateError when the file is not what a bot writes: its orders would be taken for
 * somebody's by hand, and left alone.
 * @throws RunError when it cannot be read.
 */
export function readBuiltHashes(store: Pick<StateStore, "read">): readonly Hex[] {
  return readJsonState(store, BUILT_FILE, (value) => hashesSchema.parse(value)) ?? [];
}

/**
 * Writes down all of them. @throws RunError when it cannot be written: then none of them may leave.
 */
export function writeBuiltHashes(store: StateStore, hashes: readonly Hex[]): void {
  store.write(BUILT_FILE, JSON.stringify(hashes));
}
