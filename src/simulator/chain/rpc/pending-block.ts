import type { EvmRequest, RpcOutcome } from "../rpc-outcome.js";

/**
 * `eth_getBlockByNumber`: the EVM omits the number of the pending block; public nodes return it,
 * and clients read it.
 */
export async function blockByNumber(
  params: readonly unknown[],
  ask: EvmRequest,
): Promise<RpcOutcome> {
  const outcome = await ask("eth_getBlockByNumber", params);
  if (params[0] !== "pending" || "error" in outcome || outcome.result === null) return outcome;
  const head = await ask("eth_blockNumber", []);
  if ("error" in head) return head;
  return {
    result: { ...outcome.result, number: `0x${(BigInt(head.result as string) + 1n).toString(16)}` },
  };
}
