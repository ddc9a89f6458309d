import { bytesToHex, hexToBytes } from "../core/crypto/hex.js";
import { keccak256 } from "../core/crypto/keccak.js";
import type { SignatureScheme, Signer } from "../core/crypto/signing.js";
import type { Hex } from "../core/units.js";

/**
 * A keyed hash instead of ECDSA, for simulations that do not test cryptography. It is a hundred
 * times cheaper, and a wrong signature is still rejected. A signature contains its address and a
 * hash that only the holder of the key can compute.
 */
export function keyedScheme(): SignatureScheme {
  const keys = new Map<Hex, Uint8Array>();
  const tagOf = (key: Uint8Array, digest: Uint8Array): Uint8Array => {
    const joined = new Uint8Array(64);
    joined.set(key, 0);
    joined.set(digest, 32);
    return keccak256(joined);
  };
  return {
    name: "keyed hash",
    signer(privateKey: Hex): Signer {
      const key = hexToBytes(privateKey);
      const address = bytesToHex(keccak256(key).subarray(12));
      keys.set(address, key);
      return {
        address,
        sign(digest: Uint8Array): Hex {
          const signature = new Uint8Array(65);
          signature.set(tagOf(key, digest), 0);
          signature.set(hexToBytes(address), 32);
          signature[64] = 27;
          return bytesToHex(signature);
        },
      };
    },
    recover(digest: Uint8Array, signature: Hex): Hex | null {
      const bytes = hexToBytes(signature);
      if (bytes.length !== 65) return null;
      const address = bytesToHex(bytes.subarray(32, 52));
      const key = keys.get(address);
      if (key === undefined) return null;
      return bytesToHex(tagOf(key, digest)) === bytesToHex(bytes.subarray(0, 32)) ? address : null;
    },
  };
}
