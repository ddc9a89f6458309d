import type { Signer } from "../../core/crypto/signing.js";
import { ConfigError } from "../../core/errors.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import type { TransactionReceipt } from "../blocks/transaction-receipt.js";
import type { ChainRpc } from "../rpc/chain-rpc.js";
import { type FeePolicy, toFeePolicy } from "./fees.js";
import type { TransactionStore } from "./store/transaction-store.js";
import type { TransactionJob } from "./transaction-job.js";

/** Options of a transaction manager. */
export interface TransactionManagerOptions {
  readonly rpc: ChainRpc;
  /** The account that owns the nonces. Nothing else may send with its key. */
  readonly signer: Signer;
  readonly chainId: number;
  readonly clock: Clock;
  /** Storage of pending transactions; the manager closes it. */
  readonly store: TransactionStore;
  /** Time from the end of one poll of what is in flight to the next. Default 500. */
  readonly pollMs?: Ms;
  /** Depth in blocks at which a mined transaction is final, its own block included. Default 3. */
  readonly confirmations?: number;
  /**
   * Further blocks for which a final outcome is watched for a reorg deeper than `confirmations`.
   * Default 64: two epochs of Ethereum.
   */
  readonly followBlocks?: number;
  /** Starting tip, wei per unit of gas. Default 10^8 (0.1 gwei). */
  readonly tipWei?: bigint;
  /** The least tip to try when the ceiling leaves no more. Default 1. */
  readonly minTipWei?: bigint;
  /** Fee increase of a replacement, in per cent. Default 12.5, which every common node accepts. */
  readonly bumpPercent?: number;
  /**
   * Number of full blocks in a row for which the first transaction stays above the base fee.
   * Default 3.
   */
  readonly headroomBlocks?: number;
  /** Blocks without it after which a transaction that could be next is replaced. Default 3. */
  readonly stuckBlocks?: number;
  /** Or the time after which it is replaced, if at least one block came. Default 15,000. */
  readonly stuckMs?: Ms;
  /** Least time between broadcasts of a transaction that the nodes do not know. Default 1000. */
  readonly resendMs?: Ms;
  /**
   * The state that a job is simulated on. Default `pending`, which includes our own pending
   * transactions.
   */
  readonly simulateAt?: "pending" | "latest";
  /** Largest cost of filling one unused nonce. Default 10^16 wei. */
  readonly maxFillCostWei?: bigint;
  /**
   * Rejects the receipt of a successful job that lacks the job's event, by throwing a FormatError.
   * The same or another RPC is queried again. Default: every receipt of the transaction is trusted.
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

/** @throws ConfigError when a number is out of range. */
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
      throw new ConfigError("is out of range", { field, value, expected: "a whole number from 1" });
  }
  return settings;
}
