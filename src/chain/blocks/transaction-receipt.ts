import { FormatError } from "../../core/errors.js";
import type { Hex, Ms } from "../../core/units.js";
import { parseBytes, parseNumber, parseObject, parseQuantity } from "../rpc/rpc-values.js";
import { type ChainLog, parseChainLog } from "./chain-log.js";
import { BLOOM_BYTES, isBloomExplainedBy } from "./logs-bloom.js";

/** The result of a transaction in its block. */
export interface TransactionReceipt {
  readonly hash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** Time of the block. A node's receipt lacks it; the code that reads the block adds it. */
  readonly blockTimeMs?: Ms;
  readonly isReverted: boolean;
  readonly gasUsed: bigint;
  /** Base fee plus tip, wei per unit of gas. */
  readonly effectiveGasPriceWei: bigint;
  /**
   * Everything that the sender paid beside the value: gas times price, and the parent chain's fee
   * if there is one.
   */
  readonly costWei: bigint;
  readonly logs: readonly ChainLog[];
}

/**
 * Parses the receipt of the requested transaction; null if it is in no block. @throws FormatError
 * for another transaction's receipt, and as {@link parseReceipt} does.
 */
export function parseRequestedReceipt(value: unknown, hash: Hex): TransactionReceipt | null {
  const receipt = parseReceipt(value);
  if (receipt === null || receipt.hash === hash.toLowerCase()) return receipt;
  throw new FormatError("is of another transaction", {
    field: "receipt.transactionHash",
    value: receipt.hash,
    expected: hash,
  });
}

/**
 * Parses the response of `eth_getTransactionReceipt`. `l1Fee` is what chains of the OP stack charge
 * beyond gas (docs.optimism.io, "Transaction fees").
 * @returns null for a transaction that is in no block.
 * @throws FormatError when it is not a receipt, has logs of another transaction, or lacks logs that
 * its bloom filter has.
 */
export function parseReceipt(value: unknown): TransactionReceipt | null {
  if (value === null) return null;
  const fields = parseObject(value, "receipt");
  const { logs, status } = fields;
  if (!Array.isArray(logs))
    throw new FormatError("is not a list", {
      field: "receipt.logs",
      value: logs,
      expected: "a list of logs",
    });
  if (status !== "0x0" && status !== "0x1")
    throw new FormatError("is not a status", {
      field: "receipt.status",
      value: status,
      expected: "0x0 or 0x1",
    });
  const gasUsed = parseQuantity(fields.gasUsed, "receipt.gasUsed");
  const effectiveGasPriceWei = parseQuantity(fields.effectiveGasPrice, "receipt.effectiveGasPrice");
  const parentFeeWei =
    fields.l1Fee === undefined || fields.l1Fee === null
      ? 0n
      : parseQuantity(fields.l1Fee, "receipt.l1Fee");
  const hash = parseBytes(fields.transactionHash, "receipt.transactionHash", 32);
  const blockHash = parseBytes(fields.blockHash, "receipt.blockHash", 32);
  const list = logs.map(parseChainLog);
  for (const log of list)
    if (log.transactionHash !== hash || log.blockHash !== blockHash)
      throw new FormatError("has a log of another transaction", {
        field: "receipt.logs",
        value: log.transactionHash,
        expected: hash,
      });
  // Without its logs a takeover would not be recognised, and its position would never be sold.
  if (
    typeof fields.logsBloom === "string" &&
    !isBloomExplainedBy(parseBytes(fields.logsBloom, "receipt.logsBloom", BLOOM_BYTES), list)
  )
    throw new FormatError("lacks logs that its bloom filter has", {
      field: "receipt.logs",
      value: list.length,
      expected: "every log",
    });
  return {
    hash,
    blockNumber: parseNumber(fields.blockNumber, "receipt.blockNumber"),
    blockHash,
    isReverted: status === "0x0",
    gasUsed,
    effectiveGasPriceWei,
    costWei: gasUsed * effectiveGasPriceWei + parentFeeWei,
    logs: list,
  };
}
