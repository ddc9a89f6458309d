import { bytesToHex } from "../../core/crypto/hex.js";
import { keccak256 } from "../../core/crypto/keccak.js";
import type { Hex } from "../../core/units.js";
import { encodeWord } from "../abi/abi-reader.js";

/** Target address and data of a call. */
export interface ContractCall {
  readonly to: Hex;
  readonly data: Hex;
}

/**
 * The Keccak-256 of a canonical signature, such as `Transfer(address,address,uint256)`. It is an
 * event's first topic; its first four bytes are a function's selector (Solidity's contract ABI,
 * "Function Selector").
 */
export function signatureHash(signature: string): Hex {
  return bytesToHex(keccak256(Buffer.from(signature, "ascii")));
}

/**
 * Encodes a call whose arguments are one word each: numbers and addresses. The contract rejects a
 * number beyond its type.
 */
export function encodeCall(
  to: Hex,
  signature: string,
  args: readonly (bigint | Hex)[],
): ContractCall {
  return { to, data: `${signatureHash(signature).slice(0, 10)}${args.map(encodeWord).join("")}` };
}
