import { FormatError } from "../core/errors.js";
import type { Hex, Ms } from "../core/units.js";
import { bytesField, type ChainLog, chainLogOf, fieldsOf, numberField, quantityField } from "./chain-log.js";

/** What became of a transaction in its block. */
export interface TransactionReceipt {
  readonly hash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** The block's own time. A node's receipt lacks it: whoever has read the block adds it. */
  readonly blockTimeMs?: Ms;
  readonly isReverted: boolean;
  readonly gasUsed: bigint;
  /** Base fee and tip that a unit of gas was paid with. */
  readonly effectiveGasPriceWei: bigint;
  /** Everything that the sender paid beside the value: gas times price, and where the chain takes one the fee of its parent chain. */
  readonly costWei: bigint;
  readonly logs: readonly ChainLog[];
}

/**
 * Reads the answer of `eth_getTransactionReceipt`. `l1Fee` is what chains of the OP stack charge beyond gas
 * (docs.optimism.io, "Transaction fees").
 * @returns null for a transaction that is in no block.
 * @throws FormatError when it is no receipt.
 */
export function receiptOf(value: unknown): TransactionReceipt | null {
  if (value === null) return null;
  const fields = fieldsOf(value, "receipt");
  const { logs, status } = fields;
  if (!Array.isArray(logs)) throw new FormatError("is no list", { field: "receipt.logs", expected: "a list of logs" });
  if (status !== "0x0" && status !== "0x1")
    throw new FormatError("is no status", { field: "receipt.status", value: status, expected: "0x0 or 0x1" });
  const gasUsed = quantityField(fields, "gasUsed");
  const effectiveGasPriceWei = quantityField(fields, "effectiveGasPrice");
  const parentFeeWei = fields.l1Fee === undefined || fields.l1Fee === null ? 0n : quantityField(fields, "l1Fee");
  return {
    hash: bytesField(fields, "transactionHash", 32),
    blockNumber: numberField(fields, "blockNumber"),
    blockHash: bytesField(fields, "blockHash", 32),
    isReverted: status === "0x0",
    gasUsed,
    effectiveGasPriceWei,
    costWei: gasUsed * effectiveGasPriceWei + parentFeeWei,
    logs: logs.map(chainLogOf),
  };
}
