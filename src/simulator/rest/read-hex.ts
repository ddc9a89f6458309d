import type { Hex } from "../../core/units.js";

/** Hex digits of either case, with or without the prefix. */
const HEX = /^(?:0[xX])?((?:[0-9a-fA-F]{2})+)$/;

/**
 * Normalises a signature or a hash: `0x` and lower case, as the exchange compares and stores it.
 * Clients send either case, and some omit the prefix (the official Python SDK does).
 * @returns null unless it is exactly this many bytes in hex.
 */
export function readHex(text: string, bytes: number): Hex | null {
  const digits = HEX.exec(text)?.[1];
  return digits?.length === 2 * bytes ? `0x${digits.toLowerCase()}` : null;
}
