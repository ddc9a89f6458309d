import { type LedgerFile, LIQUIDATIONS_FILE } from "../../liquidator/ledger/liquidation-ledger.js";
import type { StateStore } from "../state/state-dir.js";

/**
 * Part of the ledger that a start reads: its end. The file grows by some megabytes an hour if many
 * accounts are in danger, and after a week it is longer than the longest string. This part covers
 * half a day then. An opportunity without an entry for longer is only in the file.
 */
const READ_BYTES = 64 * 2 ** 20;

/** The ledger's lines in the state directory. */
export function createLedgerFile(store: Pick<StateStore, "readTail" | "append">): LedgerFile {
  return {
    read: () => store.readTail(LIQUIDATIONS_FILE, READ_BYTES),
    append: (line) => store.append(LIQUIDATIONS_FILE, line),
  };
}
