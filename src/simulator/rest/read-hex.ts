import type { Hex } from "../../core/units.js";

/** Hex digits of either case, with the prefix or without it. */
const HEX = /^(?:0[xX])?((?:[0-9a-fA-F]{2})+)$/;

/**
 * A signature or a hash as a client writes it, in the one spelling in which the exchange compares
 * and keeps it: `0x` and lower case. Clients send either case, and some leave out the prefix (the
 * official Python SDK does).
 * @returns null for anything but hex digits of so many bytes.
 */
export function readHex(text: string, bytes: number): Hex | null {
  const digits = HEX.exec(text)?.[1];
  return digits?.length === 2 * bytes ? `0x${digits.toLowerCase()}` : null;
}
