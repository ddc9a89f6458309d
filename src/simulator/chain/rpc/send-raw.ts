import { keccak256 } from "ethers";
import type { EvmRequest, RpcOutcome } from "../rpc-outcome.js";
import { ALREADY_KNOWN, REPLACEMENT_UNDERPRICED } from "./node-error.js";

/**
 * `eth_sendRawTransaction`: the EVM mistakes a pending transaction that is sent again for an
 * underpriced replacement. This method answers that it is already known, as nothing is lost.
 */
export async function sendRaw(params: readonly unknown[], ask: EvmRequest): Promise<RpcOutcome> {
  const outcome = await ask("eth_sendRawTransaction", params);
  if (!("error" in outcome) || !outcome.error.message.startsWith(REPLACEMENT_UNDERPRICED))
    return outcome;
  const waiting = await ask("eth_getTransactionByHash", [keccak256(params[0] as string)]);
  return "result" in waiting && waiting.result !== null
    ? { error: { code: -32000, message: ALREADY_KNOWN } }
    : outcome;
}
