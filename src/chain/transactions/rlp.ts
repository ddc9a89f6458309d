import { hexToBytes } from "../../core/crypto/hex.js";
import type { Hex } from "../../core/units.js";

/** Input of RLP: bytes as hex, a number without leading zeros, or a list of such. */
export type RlpItem = Hex | bigint | readonly RlpItem[];

const SHORT = 55;
const BYTES_PREFIX = 0x80;
const LIST_PREFIX = 0xc0;

/**
 * Recursive length prefix encoding (Ethereum yellow paper, appendix B). @throws FormatError when a
 * text is not hex; RangeError for a negative number
 */
export function encodeRlp(item: RlpItem): Uint8Array {
  if (Array.isArray(item)) return withLength(Buffer.concat(item.map(encodeRlp)), LIST_PREFIX);
  const bytes = typeof item === "bigint" ? minimalBytes(item) : hexToBytes(item as Hex);
  if (bytes.length === 1 && (bytes[0] as number) < BYTES_PREFIX) return bytes;
  return withLength(bytes, BYTES_PREFIX);
}

function withLength(content: Uint8Array, prefix: number): Uint8Array {
  if (content.length <= SHORT) return Buffer.concat([Buffer.of(prefix + content.length), content]);
  const length = minimalBytes(BigInt(content.length));
  return Buffer.concat([Buffer.of(prefix + SHORT + length.length), length, content]);
}

function minimalBytes(value: bigint): Uint8Array {
  if (value < 0n) throw new RangeError("RLP has no negative numbers");
  if (value === 0n) return new Uint8Array(0);
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
}
