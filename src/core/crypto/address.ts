import { FormatError } from "../errors.js";
import type { Hex } from "../units.js";
import { bytesToHex } from "./hex.js";
import { keccak256 } from "./keccak.js";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * Formats an address with the EIP-55 checksum in the case of its letters, as people and the wire
 * write it. Compare addresses in lower case, never in this form.
 * @param address 20 bytes of hex in any case; its case is not checked.
 * @throws FormatError when it is not an address.
 */
export function checksumAddress(address: Hex): Hex {
  const digits = lowerCaseAddress(address).slice(2);
  const hash = bytesToHex(keccak256(Buffer.from(digits, "ascii"))).slice(2);
  return `0x${Array.from(digits, (digit, place) => (hash.charAt(place) >= "8" ? digit.toUpperCase() : digit)).join("")}`;
}

/**
 * Converts an address to lower case, for comparison.
 * @throws FormatError when it is not an address.
 */
export function lowerCaseAddress(address: Hex, field = "address"): Hex {
  if (!ADDRESS.test(address)) {
    throw new FormatError("not an address", {
      field,
      value: address,
      expected: "0x and 40 hex digits",
    });
  }
  return address.toLowerCase();
}
