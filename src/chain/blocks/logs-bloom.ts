import { hexToBytes } from "../../core/crypto/hex.js";
import { keccak256 } from "../../core/crypto/keccak.js";
import type { Hex } from "../../core/units.js";
import type { ChainLog } from "./chain-log.js";

/**
 * Bytes of the bloom filter of a receipt's logs (Ethereum's yellow paper, section 4.3.1,
 * "Transaction Receipt").
 */
export const BLOOM_BYTES = 256;

/**
 * Returns true if the logs explain every bit of the bloom filter. A filter of zeros passes with any
 * logs: some rollups omit it.
 * @param bloom {@link BLOOM_BYTES} bytes.
 */
export function isBloomExplainedBy(
  bloom: Hex,
  logs: readonly Pick<ChainLog, "address" | "topics">[],
): boolean {
  const explained = new Uint8Array(BLOOM_BYTES);
  for (const { address, topics } of logs)
    for (const entry of [address, ...topics]) add(explained, hexToBytes(entry));
  return hexToBytes(bloom).every((byte, at) => (byte & ~(explained[at] ?? 0)) === 0);
}

/**
 * Each entry sets three bits: the lower eleven bits of the first three pairs of bytes of its hash,
 * counted from the end.
 */
function add(bloom: Uint8Array, entry: Uint8Array): void {
  const hash = keccak256(entry);
  for (let pair = 0; pair < 6; pair += 2) {
    const bit = (((hash[pair] ?? 0) << 8) | (hash[pair + 1] ?? 0)) & 0x7ff;
    const at = BLOOM_BYTES - 1 - (bit >> 3);
    bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7));
  }
}
