import type { Hex } from "../../core/units.js";
import type { EmbeddedChain } from "../chain/embedded-chain.js";

/**
 * Why a mined transaction was reverted: the contract's own words, or the EVM's; null when neither
 * says.
 * @throws RunError when the chain has failed
 */
export async function revertReason(chain: EmbeddedChain, hash: Hex): Promise<string | null> {
  // A receipt does not tell, and a call at the block before would see another state than the
  // transaction did.
  const outcome = await chain.handle("debug_traceTransaction", [
    hash,
    { tracer: "callTracer", tracerConfig: { onlyTopCall: true } },
  ]);
  if ("error" in outcome) return null;
  const { revertReason: reason, error } = outcome.result as {
    readonly revertReason?: string;
    readonly error?: string;
  };
  return reason || error || null;
}
