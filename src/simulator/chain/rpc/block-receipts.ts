import type { EvmRequest, RpcOutcome } from "../rpc-outcome.js";

/**
 * `eth_getBlockReceipts`: the receipts of a block's transactions, in order; null for an unknown
 * block. The block is named as in EIP-1898: by number, tag or hash, or by an object with one of
 * them.
 */
export async function blockReceipts(
  [named]: readonly unknown[],
  ask: EvmRequest,
): Promise<RpcOutcome> {
  const block = nameOf(named);
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

function nameOf(named: unknown): unknown {
  if (typeof named !== "object" || named === null) return named;
  const { blockHash, blockNumber } = named as {
    readonly blockHash?: unknown;
    readonly blockNumber?: unknown;
  };
  return blockHash ?? blockNumber;
}
