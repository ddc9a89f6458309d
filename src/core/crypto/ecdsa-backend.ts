import { createRequire } from "node:module";
import { secp256k1 as curve } from "@noble/curves/secp256k1.js";
import { bytesToHex, hexToBytes } from "./hex.js";

/**
 * Implementation of secp256k1 that signs and recovers. Both give the same bytes; the native one is
 * some ten times faster.
 */
export type SigningBackend = "native" | "noble";

/** The curve operations of a backend, on raw bytes that the caller has checked. */
export interface EcdsaBackend {
  readonly name: SigningBackend;
  isPrivateKey(privateKey: Uint8Array): boolean;
  /** The 65 bytes of the uncompressed public key. */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /**
   * Deterministic (RFC 6979) with low s; writes r and s to the first 64 bytes of `out` and returns
   * the recovery id.
   */
  sign(digest: Uint8Array, privateKey: Uint8Array, out: Uint8Array): number;
  /** Recovers the 65 bytes of the uncompressed public key. Throws when there is none. */
  recover(compact: Uint8Array, recoveryId: number, digest: Uint8Array): Uint8Array;
}

type NativeBinding = typeof import("secp256k1");

/** The pure JavaScript backend, on noble's curves. */
export const nobleBackend: EcdsaBackend = {
  name: "noble",
  isPrivateKey: (privateKey) => curve.utils.isValidSecretKey(privateKey),
  publicKey: (privateKey) => curve.getPublicKey(privateKey, false),
  sign(digest, privateKey, out) {
    const recovered = curve.sign(digest, privateKey, {
      prehash: false,
      lowS: true,
      format: "recovered",
    });
    out.set(recovered.subarray(1), 0);
    return recovered[0] as number;
  },
  recover(compact, recoveryId, digest) {
    const recovered = new Uint8Array(65);
    recovered[0] = recoveryId;
    recovered.set(compact, 1);
    const point = curve.Signature.fromBytes(recovered, "recovered").recoverPublicKey(digest);
    return point.toBytes(false);
  },
};

/**
 * Loads the backend on libsecp256k1, or returns the error. The binding is required by its own name,
 * because the package's main entry silently falls back to a JavaScript curve that is some eighteen
 * times slower.
 */
export function loadNativeBackend(): EcdsaBackend | { readonly unavailable: unknown } {
  let binding: NativeBinding;
  try {
    binding = createRequire(import.meta.url)("secp256k1/bindings") as NativeBinding;
  } catch (error) {
    return { unavailable: error };
  }
  return {
    name: "native",
    isPrivateKey: (privateKey) => binding.privateKeyVerify(privateKey),
    publicKey: (privateKey) => binding.publicKeyCreate(privateKey, false),
    sign: (digest, privateKey, out) =>
      binding.ecdsaSign(reduced(digest), privateKey, undefined, out.subarray(0, 64)).recid,
    recover: (compact, recoveryId, digest) =>
      binding.ecdsaRecover(compact, recoveryId, digest, false),
  };
}

/**
 * The order of the group (SEC 2). Its first 15 bytes are all ones, so almost no digest exceeds it.
 */
const GROUP_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * Reduces the digest modulo the group's order. RFC 6979 reduces it (bits2octets) before it derives
 * the nonce, libsecp256k1 does not. Without this, the two would sign a digest beyond the order with
 * different nonces.
 */
function reduced(digest: Uint8Array): Uint8Array {
  if (digest[0] !== 0xff || digest[1] !== 0xff) {
    return digest;
  }
  const value = BigInt(bytesToHex(digest));
  return value < GROUP_ORDER
    ? digest
    : hexToBytes(`0x${(value - GROUP_ORDER).toString(16).padStart(64, "0")}`);
}
