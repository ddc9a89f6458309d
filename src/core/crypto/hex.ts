import { FormatError } from "../errors.js";
import type { Hex } from "../units.js";

/** The characters of each byte's two hex digits, the first in the lower eight bits. */
const PAIRS = Uint16Array.from(
  { length: 256 },
  (_, byte) =>
    "0123456789abcdef".charCodeAt(byte >> 4) | ("0123456789abcdef".charCodeAt(byte & 15) << 8),
);
/** Reused for every text that fits, such as hashes and signatures. */
const SHORT_TEXT = Buffer.alloc(256);

/** Formats bytes as `0x` and lower-case hex digits. */
export function bytesToHex(bytes: Uint8Array): Hex {
  const length = 2 + 2 * bytes.length;
  const text = length <= SHORT_TEXT.length ? SHORT_TEXT : Buffer.allocUnsafe(length);
  text[0] = 48;
  text[1] = 120;
  for (let at = 0; at < bytes.length; at += 1) {
    const pair = PAIRS[bytes[at]];
    text[2 * at + 2] = pair & 0xff;
    text[2 * at + 3] = pair >> 8;
  }
  return text.toString("latin1", 0, length);
}

/**
 * Parses `0x` and an even number of hex digits in either case.
 * @param field name of the text, for the error. The error never contains the text itself, which may
 * be a private key.
 * @throws FormatError when it is anything else.
 */
export function hexToBytes(hex: Hex, field = "hex"): Uint8Array {
  const digits = typeof hex === "string" && hex.startsWith("0x") ? hex.length - 2 : -1;
  const bytes = new Uint8Array(digits > 0 ? digits >> 1 : 0);
  // Negative once a character is not a digit. Hand-written, because the call into Node's decoder
  // costs more than 32 bytes.
  let found = digits < 0 || digits % 2 !== 0 ? -1 : 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const high = hex.charCodeAt(2 * at + 2);
    const low = hex.charCodeAt(2 * at + 3);
    const byte = (high | low) < DIGITS.length ? (DIGITS[high] << 4) | DIGITS[low] : -1;
    found |= byte;
    bytes[at] = byte;
  }
  if (found < 0)
    throw new FormatError("not hex bytes", {
      field,
      expected: "0x and an even number of hex digits",
    });
  return bytes;
}

/** By character code: a digit's value, or -1. */
const DIGITS = new Int8Array(128).fill(-1);
for (const digit of "0123456789abcdefABCDEF")
  DIGITS[digit.charCodeAt(0)] = Number.parseInt(digit, 16);
