import { bytesToHex } from "../../core/crypto/hex.js";
import { keccak256 } from "../../core/crypto/keccak.js";
import type { Hex } from "../../core/units.js";
import { encodeWord } from "../abi/abi-reader.js";

/** Where a call goes, and what it says. */
export interface ContractCall {
  readonly to: Hex;
  readonly data: Hex;
}

/**
 * The Keccak-256 of a signature in its canonical form, such as `Transfer(address,address,uint256)`: an event's first topic, whose
 * first four bytes are a function's selector (Solidity's contract ABI, "Function Selector").
 */
export function signatureHash(signature: string): Hex {
  return bytesToHex(keccak256(Buffer.from(signature, "ascii")));
}

/** A call whose arguments are a word each: numbers and addresses. A number beyond its type is the contract's to refuse. */
export function encodeCall(
  to: Hex,
  signature: string,
  args: readonly (bigint | Hex)[],
): ContractCall {
  return { to, data: `${signatureHash(signature).slice(0, 10)}${args.map(encodeWord).join("")}` };
}
