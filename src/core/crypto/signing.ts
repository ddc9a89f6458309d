import { FormatError } from "../errors.js";
import type { Hex } from "../units.js";
import { checksumAddress } from "./address.js";
import {
  type EcdsaBackend,
  loadNativeBackend,
  nobleBackend,
  type SigningBackend,
} from "./ecdsa-backend.js";
import { bytesToHex, hexToBytes } from "./hex.js";
import { type KeccakBackend, keccak256, keccakReady } from "./keccak.js";

/** An account that can sign, without access to its key. */
export interface Signer {
  /** The account's address, with the checksum of EIP-55. */
  readonly address: Hex;
  /**
   * Signs a 32-byte digest, deterministically.
   * @returns 65 bytes, r, s and v, with s in the lower half of the group's order and v 27 or 28.
   */
  sign(digest: Uint8Array): Hex;
}

/** Signs digests and recovers signers: ECDSA in production, a cheap stand-in in a simulation. */
export interface SignatureScheme {
  readonly name: string;
  /** @throws FormatError when it is not a private key; the error does not contain the key. */
  signer(privateKey: Hex): Signer;
  /**
   * Returns the lower-case address whose key signed `digest`; null if `signature` is not one of
   * this scheme.
   */
  recover(digest: Uint8Array, signature: Hex): Hex | null;
}

const native = loadNativeBackend();
const usable: EcdsaBackend = "unavailable" in native ? nobleBackend : native;

/** The error of loading the native binding; undefined if it loaded. */
export function nativeBindingError(): unknown {
  return "unavailable" in native ? native.unavailable : undefined;
}

/** Backends of hashing and signing. */
export interface CryptoBackends {
  readonly keccak: KeccakBackend;
  readonly signing: SigningBackend;
}

/**
 * Waits for the fastest available hashing and signing, and names them, so that a slow fallback can
 * be reported.
 */
export async function initCrypto(): Promise<CryptoBackends> {
  return { keccak: await keccakReady, signing: usable.name };
}

/**
 * Half of the order of secp256k1's group (SEC 2), big-endian: the largest s of a signature that
 * Ethereum's contracts accept.
 */
const HALF_ORDER = hexToBytes("0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0");

/** Ethereum's scheme on one backend; {@link ecdsaScheme} is the one to use. */
export function ecdsaSchemeOn(backend: EcdsaBackend): SignatureScheme {
  return {
    name: `ecdsa-secp256k1 (${backend.name})`,
    signer: (privateKey) => new EcdsaSigner(backend, privateKey),
    recover: (digest, signature) => recoverAddress(backend, digest, signature),
  };
}

/**
 * ECDSA on secp256k1 with Ethereum's addresses. Recovery takes v as 0, 1, 27 or 28 and refuses a
 * high s, as contracts do.
 */
export const ecdsaScheme: SignatureScheme = ecdsaSchemeOn(usable);

class EcdsaSigner implements Signer {
  readonly address: Hex;
  readonly #backend: EcdsaBackend;
  readonly #privateKey: Uint8Array;
  readonly #signature = new Uint8Array(65);

  constructor(backend: EcdsaBackend, privateKey: Hex) {
    this.#backend = backend;
    this.#privateKey = hexToBytes(privateKey, "privateKey");
    if (this.#privateKey.length !== 32 || !backend.isPrivateKey(this.#privateKey)) {
      throw new FormatError("not a private key", {
        field: "privateKey",
        expected: "32 bytes of hex, above zero and below the group's order",
      });
    }
    this.address = checksumAddress(addressOfPublicKey(backend.publicKey(this.#privateKey)));
  }

  sign(digest: Uint8Array): Hex {
    if (digest.length !== 32) {
      throw new FormatError("not a digest", {
        field: "digest",
        value: `${digest.length} bytes`,
        expected: "32 bytes",
      });
    }
    this.#signature[64] = 27 + this.#backend.sign(digest, this.#privateKey, this.#signature);
    return bytesToHex(this.#signature);
  }
}

const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;

function recoverAddress(backend: EcdsaBackend, digest: Uint8Array, signature: Hex): Hex | null {
  if (digest.length !== 32 || !SIGNATURE.test(signature)) {
    return null;
  }
  const bytes = hexToBytes(signature, "signature");
  const v = bytes[64] as number;
  const recoveryId = v >= 27 ? v - 27 : v;
  if (recoveryId > 1 || isHigh(bytes)) {
    return null;
  }
  try {
    return addressOfPublicKey(backend.recover(bytes.subarray(0, 64), recoveryId, digest));
  } catch {
    // Both backends throw when r is not a point of the curve or a scalar is out of range: no key
    // made this signature.
    return null;
  }
}

function isHigh(signature: Uint8Array): boolean {
  for (let place = 0; place < 32; place += 1) {
    const difference = (signature[32 + place] as number) - (HALF_ORDER[place] as number);
    if (difference !== 0) {
      return difference > 0;
    }
  }
  return false;
}

function addressOfPublicKey(uncompressed: Uint8Array): Hex {
  return bytesToHex(keccak256(uncompressed.subarray(1)).subarray(12));
}
