import { keccak_256 } from "@noble/hashes/sha3.js";
import { createKeccak } from "hash-wasm";

/** Which Keccak is in use: the WebAssembly one of hash-wasm, or until it is compiled (or where it cannot be) the JavaScript one of noble. */
export type KeccakBackend = "hash-wasm" | "noble";

let backend: KeccakBackend = "noble";
let hash: (bytes: Uint8Array) => Uint8Array = keccak_256;

/**
 * Settles once the fast Keccak is compiled, with the backend that is used from then on. Nothing has to wait for it: hashes
 * are the same bytes before. A top-level await here would forbid a strategy file to `require` the package.
 */
export const keccakReady: Promise<KeccakBackend> = createKeccak(256).then(
  (hasher) => {
    hash = (bytes) => hasher.init().update(bytes).digest("binary");
    backend = "hash-wasm";
    return backend;
  },
  // Where WebAssembly is forbidden the slow backend stays, and the caller of initCrypto says so.
  () => backend,
);

/** Keccak-256 as Ethereum uses it (the original padding, not FIPS 202's SHA3-256). Synchronous. @returns 32 bytes of the caller's own. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hash(bytes);
}
