import { FormatError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";

const WORD = 32;

/**
 * A number of 256 bits or an address as one word's 64 hex digits; a negative number as its two's
 * complement.
 */
export function encodeWord(value: bigint | Hex): string {
  if (typeof value === "string") return value.slice(2).toLowerCase().padStart(64, "0");
  return BigInt.asUintN(256, value).toString(16).padStart(64, "0");
}

/**
 * Reads a contract's return data word by word (Solidity's contract ABI, "Formal Specification of
 * the Encoding"). Positions are byte offsets. A general decoder (ethers') takes some 600 ms for the
 * risks of a thousand accounts, this one 2.
 */
export class AbiReader {
  readonly #bytes: Buffer;

  /** @throws FormatError when the text is not hex. */
  constructor(hex: Hex) {
    this.#bytes = Buffer.from(hex.slice(2), "hex");
    if (!hex.startsWith("0x") || this.#bytes.length * 2 !== hex.length - 2)
      throw new FormatError("not hex bytes", { expected: "0x and an even number of hex digits" });
  }

  /** @throws FormatError when the word is missing, as every read here does. */
  uint(at: number): bigint {
    this.#require(at, WORD);
    const bytes = this.#bytes;
    const low = (bytes.readBigUInt64BE(at + 16) << 64n) | bytes.readBigUInt64BE(at + 24);
    const [top, next] = [bytes.readBigUInt64BE(at), bytes.readBigUInt64BE(at + 8)];
    return top === 0n && next === 0n ? low : (top << 192n) | (next << 128n) | low;
  }

  int(at: number): bigint {
    return BigInt.asIntN(256, this.uint(at));
  }

  /** @throws FormatError when it is neither 0 nor 1. */
  bool(at: number): boolean {
    const value = this.index(at);
    if (value > 1) throw new FormatError("not a truth value", { value, expected: "0 or 1" });
    return value === 1;
  }

  /** Reads a length or an offset. @throws FormatError beyond 2^48: no response is that long. */
  index(at: number): number {
    this.#require(at, WORD);
    const bytes = this.#bytes;
    if (
      (bytes.readBigUInt64BE(at) |
        bytes.readBigUInt64BE(at + 8) |
        bytes.readBigUInt64BE(at + 16)) !==
        0n ||
      bytes.readUInt16BE(at + 24) !== 0
    )
      throw new FormatError("not an offset or a length", {
        value: `word at ${at}`,
        expected: "less than 2^48",
      });
    return bytes.readUIntBE(at + 26, 6);
  }

  address(at: number): Hex {
    this.#require(at, WORD);
    return `0x${this.#bytes.toString("hex", at + 12, at + WORD)}`;
  }

  /** Reads the `bytes` at that position. */
  bytes(at: number): Hex {
    const length = this.index(at);
    this.#require(at + WORD, Math.ceil(length / WORD) * WORD);
    return `0x${this.#bytes.toString("hex", at + WORD, at + WORD + length)}`;
  }

  text(at: number): string {
    return Buffer.from(this.bytes(at).slice(2), "hex").toString("utf8");
  }

  /** Returns the position of the content that the word at `at` points to, relative to `base`. */
  follow(at: number, base: number): number {
    const place = base + this.index(at);
    this.#require(place, WORD);
    return place;
  }

  /**
   * Returns the positions of a list's entries, each with its own offset (entries of varying
   * length).
   */
  entries(at: number): readonly number[] {
    const length = this.index(at);
    const first = at + WORD;
    this.#require(first, length * WORD);
    return Array.from({ length }, (_, i) => this.follow(first + i * WORD, first));
  }

  #require(at: number, length: number): void {
    if (at + length > this.#bytes.length)
      throw new FormatError("an answer that ends too early", {
        value: `${this.#bytes.length} bytes`,
        expected: `at least ${at + length}`,
      });
  }
}
