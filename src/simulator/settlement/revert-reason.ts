import type { Hex } from "../../core/units.js";
import type { EmbeddedChain } from "../chain/embedded-chain.js";

/**
 * The reason why a mined transaction was reverted: the contract's text, or the EVM's; null if there
 * is neither.
 * @throws RunError when the chain has failed
 */
export async function revertReason(chain: EmbeddedChain, hash: Hex): Promise<string | null> {
  // A receipt has no reason, and a call at the block before would run on another state than the
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
