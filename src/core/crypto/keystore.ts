import { scryptSync as nativeScrypt } from "node:crypto";
import { createRequire } from "node:module";
import { FormatError, RunError } from "../errors.js";
import type { Random } from "../runtime/runtime.js";
import type { Hex } from "../units.js";
import { checksumAddress } from "./address.js";
import { bytesToHex } from "./hex.js";
import { ecdsaScheme } from "./signing.js";

/** Options for encrypting a private key. */
export interface KeystoreOptions {
  readonly privateKey: Hex;
  readonly password: string;
  /** Source of salt, initialisation vector and id. */
  readonly random: Random;
  /**
   * Scrypt's cost, a power of two. Default: the 131,072 that wallets use, at a third of a second
   * and 128 MiB per try.
   */
  readonly scryptN?: number;
}

const STANDARD_N = 131_072;
/** The most memory that a file may demand for scrypt: eight times the standard's. */
const MOST_MEMORY = 1024 * 1024 * 1024;

/**
 * Encrypts a private key as a JSON keystore: version 3 of the Web3 Secret Storage Definition, with
 * scrypt and AES-128-CTR.
 * @throws FormatError when it is not a private key; the error does not contain the key.
 */
export function encryptKeystore({
  privateKey,
  password,
  random,
  scryptN = STANDARD_N,
}: KeystoreOptions): string {
  const { address } = ecdsaScheme.signer(privateKey);
  return ethersWallet().encryptKeystoreJsonSync({ address, privateKey }, password, {
    salt: randomHex(random, 32),
    iv: randomHex(random, 16),
    uuid: randomHex(random, 16),
    scrypt: { N: scryptN, r: 8, p: 1 },
  });
}

/**
 * Generates a private key of 256 random bits. They are invalid with a chance of 2^-128, and every
 * use then rejects them.
 */
export function randomKey(random: Random): Hex {
  return randomHex(random, 32);
}

/**
 * Reads the address of a keystore. It is stored beside the encrypted key, not proven by it:
 * {@link decryptKeystore} compares them.
 * @throws FormatError when the text is not a keystore, or has no address.
 */
export function keystoreAddress(json: string): Hex {
  const { address } = fieldsOf(json);
  const digits = typeof address === "string" ? address.replace(/^0x/, "") : "";
  if (!/^[0-9a-fA-F]{40}$/.test(digits))
    throw new FormatError("has no address", { expected: "a keystore with its address" });
  return checksumAddress(`0x${digits}`);
}

/**
 * Decrypts the private key of a keystore with scrypt or PBKDF2, in lower case.
 * @throws FormatError when the text is not a keystore, or its content is inconsistent.
 * @throws RunError when the password is wrong. No error contains key, password or file content.
 */
export function decryptKeystore(json: string, password: string): Hex {
  fieldsOf(json);
  try {
    return ethersWallet().decryptKeystoreJsonSync(json, password).privateKey.toLowerCase();
  } catch (error) {
    // The cause is omitted, because it may quote secret content.
    const words = error instanceof Error ? error.message : "";
    if (words.includes("incorrect password"))
      throw new RunError("the password does not open the keystore", { expected: "its password" });
    const why = words.includes("mismatch")
      ? "holds a key that does not belong to its address"
      : /memory limit/i.test(words)
        ? "needs too much memory"
        : "has fields that are missing or wrong";
    throw new FormatError(why, { expected: KEYSTORE });
  }
}

const KEYSTORE = "an encrypted JSON keystore of version 3";

function fieldsOf(json: string): { readonly [field: string]: unknown } {
  try {
    const fields: unknown = JSON.parse(json);
    if (
      typeof fields === "object" &&
      fields !== null &&
      "version" in fields &&
      Number(fields.version) === 3
    )
      return { ...fields };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new FormatError("is not a keystore", { expected: KEYSTORE });
}

function randomHex(random: Random, length: number): Hex {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 8) bytes.writeBigUInt64BE(random.uint64(), at);
  return bytesToHex(bytes);
}

let wallet: typeof import("ethers/wallet") | undefined;

/** Loaded on demand: it takes longer than most commands run. */
function ethersWallet(): typeof import("ethers/wallet") {
  if (wallet !== undefined) return wallet;
  const require = createRequire(import.meta.url);
  const { scryptSync } = require("ethers/crypto") as typeof import("ethers/crypto");
  // Node's own scrypt returns the same bytes in a fifth of the JavaScript one's time.
  scryptSync.register((password, salt, N, r, p, length) =>
    nativeScrypt(password, salt, length, { N, r, p, maxmem: MOST_MEMORY }),
  );
  wallet = require("ethers/wallet") as typeof import("ethers/wallet");
  return wallet;
}
