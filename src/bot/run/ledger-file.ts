import { type LedgerFile, LIQUIDATIONS_FILE } from "../../liquidator/ledger/liquidation-ledger.js";
import type { StateStore } from "../state/state-dir.js";

/**
 * What of the ledger a start reads: its end. The record grows by some megabytes an hour where many
 * accounts are in danger, and one of a week is longer than a text can be; this is of half a day
 * there, and of an opportunity that nothing was noted of for so long the record alone tells.
 */
const READ_BYTES = 64 * 2 ** 20;

/** The ledger's lines in the state directory. */
export function createLedgerFile(store: Pick<StateStore, "readTail" | "append">): LedgerFile {
  return {
    read: () => store.readTail(LIQUIDATIONS_FILE, READ_BYTES),
    append: (line) => store.append(LIQUIDATIONS_FILE, line),
  };
}
