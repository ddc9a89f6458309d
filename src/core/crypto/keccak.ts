import { keccak_256 } from "@noble/hashes/sha3.js";
import { createKeccak } from "hash-wasm";

/**
 * Keccak implementation in use: hash-wasm's WebAssembly, or noble's JavaScript until that is
 * compiled (or if it cannot be).
 */
export type KeccakBackend = "hash-wasm" | "noble";

let backend: KeccakBackend = "noble";
let hash: (bytes: Uint8Array) => Uint8Array = keccak_256;

/**
 * Settles with the backend in use once the fast Keccak is compiled. Callers need not await it: the
 * hashes before are the same bytes. A top-level await here would prevent a strategy file from
 * calling `require` on the package.
 */
export const keccakReady: Promise<KeccakBackend> = createKeccak(256).then(
  (hasher) => {
    hash = (bytes) => hasher.init().update(bytes).digest("binary");
    backend = "hash-wasm";
    return backend;
  },
  // If WebAssembly is forbidden the slow backend stays, and the caller of initCrypto reports it.
  () => backend,
);

/**
 * Keccak-256 as Ethereum uses it (the original padding, not FIPS 202's SHA3-256). Synchronous.
 * @returns 32 bytes that the caller owns.
 */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hash(bytes);
}
