import type { Signer } from "../../core/crypto/signing.js";
import { ConfigError } from "../../core/errors.js";
import type { Clock } from "../../core/runtime/seam.js";
import type { Ms } from "../../core/units.js";
import type { TransactionReceipt } from "../blocks/transaction-receipt.js";
import type { ChainRpc } from "../rpc/chain-rpc.js";
import { type FeePolicy, toFeePolicy } from "./fees.js";
import type { TransactionStore } from "./store/transaction-store.js";
import type { TransactionJob } from "./transaction-job.js";

/** What lanes are opened with. */
export interface TransactionManagerOptions {
  readonly rpc: ChainRpc;
  /** The account whose nonces the lanes share. Nothing else may send with its key. */
  readonly signer: Signer;
  readonly chainId: number;
  readonly clock: Clock;
  /** Where pending transactions are found again; the lanes close it. */
  readonly store: TransactionStore;
  /** From the end of one look at what is in flight to the next. Default 500. */
  readonly pollMs?: Ms;
  /** Blocks that a mined transaction must be deep, its own included, before it is final. Default 3. */
  readonly confirmations?: number;
  /** For how many blocks more an end is watched, which a reorganisation deeper than `confirmations` undoes. Default 64: two epochs of Ethereum. */
  readonly followBlocks?: number;
  /** Tip to begin with, wei a unit of gas. Default 10^8 (0.1 gwei). */
  readonly tipWei?: bigint;
  /** The least tip that is tried where the ceiling leaves no more. Default 1. */
  readonly minTipWei?: bigint;
  /** What a replacement pays more, in per cent. Default 12.5, which every common node takes. */
  readonly bumpPercent?: number;
  /** For how many full blocks in a row the first transaction stays above the base fee. Default 3. */
  readonly headroomBlocks?: number;
  /** A transaction that could be next is replaced when so many blocks came without it. Default 3. */
  readonly stuckBlocks?: number;
  /** Or when it waited so long and at least one block came. Default 15,000. */
  readonly stuckMs?: Ms;
  /** A transaction that the nodes do not know is handed over again no sooner than this after the last time. Default 1000. */
  readonly resendMs?: Ms;
  /** The state that a job is simulated on. Default `pending`: it has our own transactions that wait. */
  readonly simulateAt?: "pending" | "latest";
  /** The most that filling one unused nonce may cost. Default 10^16 wei. */
  readonly maxFillCostWei?: bigint;
  /**
   * Refuses the receipt of a job that went through and does not tell what the job does: another RPC is asked, or the same again.
   * Throws a FormatError for such a one. Default: every receipt of the transaction is believed.
   */
  readonly checkReceipt?: (receipt: TransactionReceipt, job: TransactionJob) => void;
}

/** {@link TransactionManagerOptions} with the defaults, checked. */
export interface TransactionSettings
  extends Required<
    Omit<TransactionManagerOptions, "tipWei" | "minTipWei" | "bumpPercent" | "headroomBlocks">
  > {
  readonly fees: FeePolicy;
}

/** @throws ConfigError when a number is none that can be. */
export function resolveTransactionSettings(
  options: TransactionManagerOptions,
): TransactionSettings {
  const {
    tipWei = 100_000_000n,
    minTipWei = 1n,
    bumpPercent = 12.5,
    headroomBlocks = 3,
    ...rest
  } = options;
  const settings = {
    pollMs: 500,
    confirmations: 3,
    followBlocks: 64,
    stuckBlocks: 3,
    stuckMs: 15_000,
    resendMs: 1000,
    simulateAt: "pending" as const,
    maxFillCostWei: 10n ** 16n,
    checkReceipt: () => {},
    ...rest,
    fees: toFeePolicy({ tipWei, minTipWei, bumpPercent, headroomBlocks }),
  };
  for (const field of [
    "pollMs",
    "confirmations",
    "followBlocks",
    "stuckBlocks",
    "stuckMs",
    "resendMs",
  ] as const) {
    const value = settings[field];
    if (!Number.isInteger(value) || value < 1)
      throw new ConfigError("is no count", { field, value, expected: "a whole number from 1" });
  }
  return settings;
}
