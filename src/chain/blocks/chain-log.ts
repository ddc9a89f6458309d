import { FormatError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import { parseBytes, parseNumber, parseObject } from "../rpc/rpc-values.js";

/** An undecoded event from a node. Addresses, topics and data in lower case. */
export interface ChainLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  /** Index in the block. */
  readonly logIndex: number;
}

/** Range and filter of a log request. Addresses in lower case. */
export interface LogQuery {
  readonly from: number;
  readonly to: number;
  readonly addresses: readonly Hex[];
}

/**
 * Parses the response of `eth_getLogs`. @throws FormatError when it is not a list of logs of those
 * blocks and contracts.
 */
export function parseLogs(value: unknown, { from, to, addresses }: LogQuery): readonly ChainLog[] {
  if (!Array.isArray(value))
    throw new FormatError("is not a list", { field: "logs", value, expected: "a list of logs" });
  return value.map((entry: unknown) => {
    const log = parseChainLog(entry);
    if (log.blockNumber < from || log.blockNumber > to)
      throw new FormatError("is of another block", {
        field: "log.blockNumber",
        value: log.blockNumber,
        expected: `${from} to ${to}`,
      });
    if (!addresses.includes(log.address))
      throw new FormatError("is of another contract", {
        field: "log.address",
        value: log.address,
        expected: addresses.join(" or "),
      });
    return log;
  });
}

/**
 * Parses one entry of `eth_getLogs` or of a receipt's `logs`.
 * @throws FormatError when a field is missing or is not what JSON-RPC specifies, including a log of
 * the pending block, which has no block.
 */
export function parseChainLog(value: unknown): ChainLog {
  const fields = parseObject(value, "log");
  const { topics } = fields;
  if (!Array.isArray(topics))
    throw new FormatError("is not a list", {
      field: "log.topics",
      value: topics,
      expected: "a list of 32-byte words",
    });
  return {
    address: parseBytes(fields.address, "log.address", 20),
    topics: topics.map((topic: unknown) => parseBytes(topic, "log.topics", 32)),
    data: parseBytes(fields.data, "log.data"),
    blockNumber: parseNumber(fields.blockNumber, "log.blockNumber"),
    blockHash: parseBytes(fields.blockHash, "log.blockHash", 32),
    transactionHash: parseBytes(fields.transactionHash, "log.transactionHash", 32),
    logIndex: parseNumber(fields.logIndex, "log.logIndex"),
  };
}
