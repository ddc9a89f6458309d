import { bytesToHex, hexToBytes } from "../../core/crypto/hex.js";
import { FormatError } from "../../core/errors.js";
import type { Random } from "../../core/runtime/runtime.js";
import type { Hex } from "../../core/units.js";

/**
 * The four words of an order's `info` (docs/reference/exchange-interface.md#order-construction; the
 * rates are signed, as the contracts read them).
 */
export interface OrderInfo {
  /** A fraction scaled by 10^18 (2 bps is 2 x 10^14), signed: negative is a rebate. */
  readonly makerFeeRate: bigint;
  /** A fraction scaled by 10^18. */
  readonly takerFeeRate: bigint;
  /** Seconds since the epoch. */
  readonly expirationSeconds: number;
  /** Unsigned 64 bits. Ours carry the bot's tag in the top 16. */
  readonly nonce: bigint;
}

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;
const TAG_SHIFT = 48n;
const LOW_48_BITS = (1n << TAG_SHIFT) - 1n;

/** Reused buffer of the four words. */
const PACKED = new Uint8Array(32);
const WORDS = new DataView(PACKED.buffer);

/**
 * Packs the four words, big-endian.
 * @throws FormatError when one does not fit its 64 bits.
 * @example
 * ```ts
 * import { decodeInfo, encodeInfo } from "marketwright/exchange";
 *
 * const info = {
 *   makerFeeRate: -100_000_000_000_000n,
 *   takerFeeRate: 500_000_000_000_000n,
 *   expirationSeconds: 2_000_000_000,
 *   nonce: 7n,
 * };
 * decodeInfo(encodeInfo(info)); // => info
 * ```
 */
export function encodeInfo(info: OrderInfo): Hex {
  requireInt64(info.makerFeeRate, "makerFeeRate");
  requireInt64(info.takerFeeRate, "takerFeeRate");
  if (!Number.isSafeInteger(info.expirationSeconds) || info.expirationSeconds < 0) {
    throw new FormatError("not an instant", {
      field: "expirationSeconds",
      value: info.expirationSeconds,
      expected: "whole seconds since the epoch",
    });
  }
  if (info.nonce < 0n || info.nonce > UINT64_MAX) {
    throw new FormatError("not a nonce", {
      field: "nonce",
      value: info.nonce,
      expected: "an unsigned 64-bit integer",
    });
  }
  WORDS.setBigInt64(0, info.makerFeeRate);
  WORDS.setBigInt64(8, info.takerFeeRate);
  WORDS.setUint32(16, Math.floor(info.expirationSeconds / 2 ** 32));
  WORDS.setUint32(20, info.expirationSeconds % 2 ** 32);
  WORDS.setBigUint64(24, info.nonce);
  return bytesToHex(PACKED);
}

/**
 * Reads the four words back. @throws FormatError when it is not 32 bytes of hex, or its expiration
 * passes 2^53 seconds.
 * @example
 * ```ts
 * import { decodeInfo } from "marketwright/exchange";
 *
 * // Maker rate, taker rate, expiration in seconds, nonce.
 * const words = ["0", "0", "77359400", "7"].map((word) => word.padStart(16, "0"));
 * decodeInfo(`0x${words.join("")}`).expirationSeconds; // => 2_000_000_000
 * decodeInfo("0x00"); // throws FormatError
 * ```
 */
export function decodeInfo(info: Hex): OrderInfo {
  const bytes = hexToBytes(info, "info");
  if (bytes.length !== 32)
    throw new FormatError("not an order's info", {
      field: "info",
      value: info,
      expected: "32 bytes of hex",
    });
  const words = new DataView(bytes.buffer, bytes.byteOffset, 32);
  const expirationSeconds = Number(words.getBigUint64(16));
  if (!Number.isSafeInteger(expirationSeconds)) {
    throw new FormatError("expiration is out of range", {
      field: "info",
      value: info,
      expected: "seconds below 2^53",
    });
  }
  return {
    makerFeeRate: words.getBigInt64(0),
    takerFeeRate: words.getBigInt64(8),
    expirationSeconds,
    nonce: words.getBigUint64(24),
  };
}

/**
 * A nonce of the bot's own: its 16-bit tag on top of 48 random bits
 * (docs/ideas/design.md#order-identity).
 * @throws FormatError when the tag is no 16 bits.
 * @example
 * ```ts
 * import { createLiveRuntime, readNonceTag, createTaggedNonce } from "marketwright/exchange";
 *
 * const nonce = createTaggedNonce(0x1234, createLiveRuntime().random);
 * readNonceTag(nonce); // => 0x1234
 * createTaggedNonce(0x10000, createLiveRuntime().random); // throws FormatError
 * ```
 */
export function createTaggedNonce(tag: number, random: Random): bigint {
  if (!Number.isInteger(tag) || tag < 0 || tag > 0xffff) {
    throw new FormatError("not a nonce tag", {
      field: "tag",
      value: tag,
      expected: "an integer of 16 bits",
    });
  }
  return (BigInt(tag) << TAG_SHIFT) | (random.uint64() & LOW_48_BITS);
}

/**
 * The tag of a nonce, which identifies the bot that made it.
 * @example
 * ```ts
 * import { readNonceTag } from "marketwright/exchange";
 *
 * readNonceTag(0x1234_0000_0000_0007n); // => 0x1234
 * ```
 */
export function readNonceTag(nonce: bigint): number {
  return Number(nonce >> TAG_SHIFT);
}

/**
 * The tag of an order's nonce; undefined if the info is unreadable, so that no bot claims a foreign
 * order.
 * @example
 * ```ts
 * import { encodeInfo, readInfoTag } from "marketwright/exchange";
 *
 * const info = encodeInfo({
 *   makerFeeRate: 0n,
 *   takerFeeRate: 0n,
 *   expirationSeconds: 2_000_000_000,
 *   nonce: 0x1234_0000_0000_0007n,
 * });
 * readInfoTag(info); // => 0x1234
 * readInfoTag("0x00"); // => undefined
 * ```
 */
export function readInfoTag(info: Hex): number | undefined {
  return INFO.test(info) ? Number.parseInt(info.slice(50, 54), 16) : undefined;
}

const INFO = /^0x[0-9a-fA-F]{64}$/;

function requireInt64(value: bigint, field: string): void {
  if (value < INT64_MIN || value > INT64_MAX)
    throw new FormatError("fee rate out of range", {
      field,
      value,
      expected: "a signed 64-bit integer",
    });
}
