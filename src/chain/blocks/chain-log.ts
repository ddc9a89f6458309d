import { FormatError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import { bytesOf, fieldsOf, numberOf } from "../rpc/rpc-values.js";

/** One event as a node tells it, not decoded yet. Addresses, topics and data in lower case. */
export interface ChainLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  /** Its place in the block. */
  readonly logIndex: number;
}

/** What logs were asked for. Addresses in lower case. */
export interface LogsWanted {
  readonly from: number;
  readonly to: number;
  readonly addresses: readonly Hex[];
}

/** Reads the answer of `eth_getLogs`. @throws FormatError when it is not a list of logs of those blocks and contracts. */
export function logsOf(value: unknown, { from, to, addresses }: LogsWanted): readonly ChainLog[] {
  if (!Array.isArray(value))
    throw new FormatError("is not a list", { field: "logs", value, expected: "a list of logs" });
  return value.map((entry: unknown) => {
    const log = chainLogOf(entry);
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
 * Reads one entry of `eth_getLogs` or of a receipt's `logs`.
 * @throws FormatError when a field is missing or is not what JSON-RPC says; a log of the pending block, without a block, is none.
 */
export function chainLogOf(value: unknown): ChainLog {
  const fields = fieldsOf(value, "log");
  const { topics } = fields;
  if (!Array.isArray(topics))
    throw new FormatError("is not a list", {
      field: "log.topics",
      value: topics,
      expected: "a list of 32-byte words",
    });
  return {
    address: bytesOf(fields.address, "log.address", 20),
    topics: topics.map((topic: unknown) => bytesOf(topic, "log.topics", 32)),
    data: bytesOf(fields.data, "log.data"),
    blockNumber: numberOf(fields.blockNumber, "log.blockNumber"),
    blockHash: bytesOf(fields.blockHash, "log.blockHash", 32),
    transactionHash: bytesOf(fields.transactionHash, "log.transactionHash", 32),
    logIndex: numberOf(fields.logIndex, "log.logIndex"),
  };
}
