import type { EvmRequest, RpcOutcome } from "../rpc-outcome.js";
import { createAccessList } from "./access-list.js";
import { blockReceipts } from "./block-receipts.js";
import { call, estimateGas } from "./call-funds.js";
import { blockByNumber } from "./pending-block.js";
import { sendRaw } from "./send-raw.js";
import { storageProof } from "./storage-proof.js";

/** A method that is composed of requests to the EVM. */
export type AddedMethod = (params: readonly unknown[], ask: EvmRequest) => Promise<RpcOutcome>;

/** Methods of a public node that the EVM lacks, or implements differently. */
export const ADDED_METHODS: ReadonlyMap<string, AddedMethod> = new Map<string, AddedMethod>([
  ["eth_call", call],
  ["eth_createAccessList", createAccessList],
  ["eth_estimateGas", estimateGas],
  ["eth_getBlockByNumber", blockByNumber],
  ["eth_getBlockReceipts", blockReceipts],
  ["eth_getProof", storageProof],
  ["eth_sendRawTransaction", sendRaw],
  ["net_listening", () => Promise.resolve({ result: true })],
  // A chain in one process has no peers.
  ["net_peerCount", () => Promise.resolve({ result: "0x0" })],
]);
