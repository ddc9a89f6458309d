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
 * The hashes of server-built orders, lower case, that the account's bot recorded before it sent
 * them: these do not carry its tag. Empty if there were none.
 * @throws CorruptStateError if the file is not as a bot writes it: its orders would count as manual
 * ones, and would not be cancelled.
 * @throws RunError if it cannot be read.
 */
export function readBuiltHashes(store: Pick<StateStore, "read">): readonly Hex[] {
  return readJsonState(store, BUILT_FILE, (value) => hashesSchema.parse(value)) ?? [];
}

/**
 * Writes all of them. @throws RunError if they cannot be written: then no such order may be sent.
 */
export function writeBuiltHashes(store: StateStore, hashes: readonly Hex[]): void {
  store.write(BUILT_FILE, JSON.stringify(hashes));
}
