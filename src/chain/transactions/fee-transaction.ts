import { bytesToHex, hexToBytes } from "../../core/crypto/hex.js";
import { keccak256 } from "../../core/crypto/keccak.js";
import type { Signer } from "../../core/crypto/signing.js";
import type { Hex } from "../../core/units.js";
import { encodeRlp, type RlpItem } from "./rlp.js";

/** A transaction of EIP-1559. Fees in wei per unit of gas. */
export interface FeeTransaction {
  readonly chainId: number;
  readonly nonce: number;
  readonly tipWei: bigint;
  readonly maxFeeWei: bigint;
  readonly gasLimit: bigint;
  readonly to: Hex;
  readonly valueWei: bigint;
  readonly data: Hex;
}

const TYPE = 2;

/**
 * Signs it. Returns the bytes to send and the hash. @throws FormatError when address or data are
 * not hex.
 */
export function signTransaction(
  transaction: FeeTransaction,
  signer: Signer,
): { readonly raw: Hex; readonly hash: Hex } {
  const { chainId, nonce, tipWei, maxFeeWei, gasLimit, to, valueWei, data } = transaction;
  const fields: RlpItem[] = [
    BigInt(chainId),
    BigInt(nonce),
    tipWei,
    maxFeeWei,
    gasLimit,
    to,
    valueWei,
    data,
    [],
  ];
  const signature = hexToBytes(signer.sign(keccak256(typed(fields))));
  const number = (from: number, end: number): bigint =>
    BigInt(bytesToHex(signature.subarray(from, end)));
  const raw = typed([
    ...fields,
    BigInt((signature[64] as number) - 27),
    number(0, 32),
    number(32, 64),
  ]);
  return { raw: bytesToHex(raw), hash: bytesToHex(keccak256(raw)) };
}

function typed(fields: readonly RlpItem[]): Uint8Array {
  return Buffer.concat([Buffer.of(TYPE), encodeRlp(fields)]);
}
