import type { EvmRequest, RpcOutcome } from "../rpc-outcome.js";

/**
 * `eth_getProof`: the EVM accepts only storage keys of 32 bytes, a public node also quantities
 * (`0x0`). As there, the proof returns a key of 32 bytes as such, and any other as a quantity.
 */
export async function storageProof(
  [address, keys, ...rest]: readonly unknown[],
  ask: EvmRequest,
): Promise<RpcOutcome> {
  const written = keys as readonly string[];
  const outcome = await ask("eth_getProof", [address, written.map(wordOf), ...rest]);
  if ("error" in outcome) return outcome;
  const proof = outcome.result as { readonly storageProof: readonly object[] };
  const storage = proof.storageProof.map((entry, place) => ({
    ...entry,
    key: keyOf(written[place] ?? "0x0"),
  }));
  return { result: { ...proof, storageProof: storage } };
}

function wordOf(key: string): string {
  return `0x${key.slice(2).padStart(64, "0")}`;
}

function keyOf(key: string): string {
  return key.length === 66
    ? key.toLowerCase()
    : `0x${
        key
          .slice(2)
          .toLowerCase()
          .replace(/^0+(?=.)/, "") || "0"
      }`;
}
