import { createHmac, timingSafeEqual } from "node:crypto";
import { FormatError } from "../../core/errors.js";
import type { Ms } from "../../core/units.js";

/** Length of a time step (RFC 6238, section 5.2). */
const STEP_MS: Ms = 30_000;
const DIGITS = 6;
/** Steps before and after the present one whose codes are accepted: clocks differ. */
const MOST_STEPS_OFF = 1;
/** Shortest key (RFC 4226, section 4, R6). */
const LEAST_BYTES = 16;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * Decodes a secret of one-time passwords: base32 as apps take it, in any case, with or without
 * spaces and padding.
 * @throws FormatError if it is not base32, or shorter than 128 bits; the text is not shown
 */
export function decodeTotpSecret(text: string): Buffer {
  const digits = text.replace(/[\s=]/g, "").toUpperCase();
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const digit of digits) {
    const number = ALPHABET.indexOf(digit);
    if (number < 0)
      throw new FormatError("is not base32", { expected: "letters and digits 2 to 7" });
    value = (value << 5) | number;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
    value &= (1 << bits) - 1;
  }
  if (bytes.length < LEAST_BYTES)
    throw new FormatError("is too short", { expected: "at least 26 characters of base32" });
  return Buffer.from(bytes);
}

/** The code of a counter (RFC 4226, section 5.3). */
export function hotp(key: Buffer, counter: number, digits = DIGITS): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const hash = createHmac("sha1", key).update(message).digest();
  const offset = (hash.at(-1) ?? 0) & 0xf;
  const number = (hash.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, "0");
}

/**
 * Returns the time step whose code was given; undefined if it is none of now.
 * @param afterStep the newest step whose code was accepted: a code is accepted once
 */
export function findTotpStep(
  key: Buffer,
  code: string,
  { nowMs, afterStep }: { readonly nowMs: Ms; readonly afterStep: number },
): number | undefined {
  const now = Math.floor(nowMs / STEP_MS);
  const given = Buffer.from(code.padEnd(DIGITS).slice(0, 2 * DIGITS));
  for (let step = now - MOST_STEPS_OFF; step <= now + MOST_STEPS_OFF; step++) {
    const valid = Buffer.from(hotp(key, step));
    if (given.length === valid.length && timingSafeEqual(given, valid) && step > afterStep)
      return step;
  }
  return undefined;
}
