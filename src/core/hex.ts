import { FormatError } from "./errors.js";
import type { Hex } from "./units.js";

/** Bytes as `0x` and lower-case hex digits. */
export function bytesToHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

/**
 * The bytes of `0x` and an even number of hex digits of either case.
 * @param field what the text is, for the error. The error never carries the text itself: it may be a private key.
 * @throws FormatError when it is anything else.
 */
export function hexToBytes(hex: Hex, field = "hex"): Uint8Array {
  const digits = typeof hex === "string" && hex.startsWith("0x") ? hex.length - 2 : -1;
  const bytes = new Uint8Array(digits > 0 ? digits >> 1 : 0);
  // Node stops writing at the first character that is no hex digit.
  if (digits < 0 || digits % 2 !== 0 || Buffer.from(bytes.buffer).write(hex.slice(2), "hex") !== bytes.length) {
    throw new FormatError("not hex bytes", { field, expected: "0x and an even number of hex digits" });
  }
  return bytes;
}
