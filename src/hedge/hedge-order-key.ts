import { FormatError } from "../core/errors.js";
import type { Random } from "../core/runtime/runtime.js";

/**
 * The name of an order at a hedge venue: the client id under which the venue knows it. It is drawn
 * before the order is sent, so that the order can be asked for whatever happens to the answer.
 */
export type HedgeOrderKey = string;

const PREFIX = "mw-";
const KEY = /^mw-[0-9a-f]{16}$/;
const TAG_SHIFT = 48n;
const BELOW_TAG = (1n << TAG_SHIFT) - 1n;

/**
 * Draws a new key: `mw-` and 16 hex digits, of which the first four are the tag of the bot's
 * account. A restarted bot finds its own orders by them.
 * @param tag 16 bits
 */
export function createHedgeOrderKey(tag: number, random: Pick<Random, "uint64">): HedgeOrderKey {
  return toHedgeOrderKey((BigInt(tag) << TAG_SHIFT) | (random.uint64() & BELOW_TAG));
}

/** The key of a 64-bit number whose highest 16 bits are the tag. */
export function toHedgeOrderKey(nonce: bigint): HedgeOrderKey {
  return `${PREFIX}${nonce.toString(16).padStart(16, "0")}`;
}

/** The 64-bit number of a key. @throws FormatError if it is not a key of a bot's */
export function hedgeKeyNonce(key: HedgeOrderKey): bigint {
  if (!KEY.test(key))
    throw new FormatError("not the key of a hedge order", {
      field: "key",
      value: key,
      expected: "mw- and 16 hex digits",
    });
  return BigInt(`0x${key.slice(PREFIX.length)}`);
}

/** True if a client id at a hedge venue names an order of the bot with this tag. */
export function isTaggedKey(clientId: string, tag: number): boolean {
  return KEY.test(clientId) && hedgeKeyNonce(clientId) >> TAG_SHIFT === BigInt(tag);
}
