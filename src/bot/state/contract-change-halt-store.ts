import { z } from "zod";
import { FormatError } from "../../core/errors.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import { readJsonState, type StateStore } from "./state-dir.js";

/**
 * The file of markets that were halted because of a finding at the bot's start, until an operator
 * resumes.
 */
export const CONTRACT_CHANGE_HALTS_FILE = "found-halts.json";

/** A market whose contract differs from the last run: the next run finds that again. */
export interface ContractChangeHalt {
  readonly name: "exchange-info-changed";
  readonly marketId: MarketId;
  /** The contract that a resume accepts. */
  readonly perp: Hex;
  readonly why: string;
  /** When it was found, by this machine's clock. */
  readonly atMs: Ms;
}

const fileSchema = z.strictObject({
  version: z.literal(1),
  account: z.string(),
  halts: z.array(
    z.strictObject({
      name: z.literal("exchange-info-changed"),
      marketId: z.string().min(1),
      perp: z.string().regex(/^0x[0-9a-f]{40}$/),
      why: z.string(),
      atMs: z.int().min(0),
    }),
  ),
});

/** The persisted halts. @throws CorruptStateError if the file is corrupt, or another account's. */
export function readContractChangeHalts(
  store: Pick<StateStore, "read">,
  account: Hex,
): readonly ContractChangeHalt[] {
  return (
    readJsonState(store, CONTRACT_CHANGE_HALTS_FILE, (value) => {
      const file = fileSchema.parse(value);
      if (file.account.toLowerCase() === account.toLowerCase()) return file.halts;
      throw new FormatError("halts of another account", {
        field: `${CONTRACT_CHANGE_HALTS_FILE} account`,
        value: file.account,
        expected: account,
      });
    }) ?? []
  );
}

/** Replaces the persisted halts. @throws RunError if they cannot be written. */
export function writeContractChangeHalts(
  store: Pick<StateStore, "write">,
  account: Hex,
  halts: readonly ContractChangeHalt[],
): void {
  store.write(CONTRACT_CHANGE_HALTS_FILE, JSON.stringify({ version: 1, account, halts }));
}
