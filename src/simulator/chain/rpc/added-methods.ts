import { keccak256 } from "ethers";
import type { EvmRequest, RpcOutcome } from "../rpc-outcome.js";
import { createAccessList } from "./access-list.js";
import { call, estimateGas } from "./call-funds.js";
import { ALREADY_KNOWN, REPLACEMENT_UNDERPRICED } from "./node-error.js";

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

/**
 * `eth_getBlockByNumber`: the EVM omits the number of the pending block; public nodes return it,
 * and clients read it.
 */
async function blockByNumber(params: readonly unknown[], ask: EvmRequest): Promise<RpcOutcome> {
  const outcome = await ask("eth_getBlockByNumber", params);
  if (params[0] !== "pending" || "error" in outcome || outcome.result === null) return outcome;
  const head = await ask("eth_blockNumber", []);
  if ("error" in head) return head;
  return {
    result: { ...outcome.result, number: `0x${(BigInt(head.result as string) + 1n).toString(16)}` },
  };
}

/**
 * `eth_getBlockReceipts`: the receipts of a block's transactions, in order; null for an unknown
 * block. The block is named as in EIP-1898: by number, tag or hash, or by an object with one of
 * them.
 */
async function blockReceipts([named]: readonly unknown[], ask: EvmRequest): Promise<RpcOutcome> {
  const block = blockNameIn(named);
  if (block === "pending")
    return { error: { code: -32000, message: "pending receipts are not available" } };
  const isHash = typeof block === "string" && block.length === 66;
  const found = await ask(isHash ? "eth_getBlockByHash" : "eth_getBlockByNumber", [block, false]);
  if ("error" in found || found.result === null) return found;
  const receipts: unknown[] = [];
  for (const hash of (found.result as { readonly transactions: readonly string[] }).transactions) {
    const receipt = await ask("eth_getTransactionReceipt", [hash]);
    if ("error" in receipt) return receipt;
    receipts.push(receipt.result);
  }
  return { result: receipts };
}

function blockNameIn(named: unknown): unknown {
  if (typeof named !== "object" || named === null) return named;
  const { blockHash, blockNumber } = named as {
    readonly blockHash?: unknown;
    readonly blockNumber?: unknown;
  };
  return blockHash ?? blockNumber;
}

/**
 * `eth_getProof`: the EVM accepts only storage keys of 32 bytes, a public node also quantities
 * (`0x0`). As there, the proof returns a key of 32 bytes as such, and any other as a quantity.
 */
async function storageProof(
  [address, keys, ...rest]: readonly unknown[],
  ask: EvmRequest,
): Promise<RpcOutcome> {
  const written = keys as readonly string[];
  const outcome = await ask("eth_getProof", [address, written.map(toStorageWord), ...rest]);
  if ("error" in outcome) return outcome;
  const proof = outcome.result as { readonly storageProof: readonly object[] };
  const storage = proof.storageProof.map((entry, place) => ({
    ...entry,
    key: toProofKey(written[place] ?? "0x0"),
  }));
  return { result: { ...proof, storageProof: storage } };
}

function toStorageWord(key: string): string {
  return `0x${key.slice(2).padStart(64, "0")}`;
}

function toProofKey(key: string): string {
  return key.length === 66
    ? key.toLowerCase()
    : `0x${
        key
          .slice(2)
          .toLowerCase()
          .replace(/^0+(?=.)/, "") || "0"
      }`;
}

/**
 * `eth_sendRawTransaction`: the EVM mistakes a pending transaction that is sent again for an
 * underpriced replacement. This method answers that it is already known, as nothing is lost.
 */
async function sendRaw(params: readonly unknown[], ask: EvmRequest): Promise<RpcOutcome> {
  const outcome = await ask("eth_sendRawTransaction", params);
  if (!("error" in outcome) || !outcome.error.message.startsWith(REPLACEMENT_UNDERPRICED))
    return outcome;
  const waiting = await ask("eth_getTransactionByHash", [keccak256(params[0] as string)]);
  return "result" in waiting && waiting.result !== null
    ? { error: { code: -32000, message: ALREADY_KNOWN } }
    : outcome;
}
