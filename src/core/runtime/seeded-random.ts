import { createHash } from "node:crypto";
import type { Random } from "./runtime.js";

const DRAWS_BEFORE_USE = 12;

/**
 * Reproducible randomness: the same seed gives the same draws on every machine. The generator is
 * sfc32 (Chris Doty-Humphrey's "small fast counting" generator, PractRand; period at least 2^32,
 * about 2^127 on average), its state the first 96 bits of SHA-256 of the seed's text, so that
 * neighbouring seeds share nothing. Not for keys or for live nonces.
 * @param seed a number and its decimal text are the same seed.
 */
export function seededRandom(seed: string | number): Random {
  return new Sfc32(createHash("sha256").update(String(seed)).digest());
}

class Sfc32 implements Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(state: Buffer) {
    this.#a = state.readInt32LE(0);
    this.#b = state.readInt32LE(4);
    this.#c = state.readInt32LE(8);
    for (let draw = 0; draw < DRAWS_BEFORE_USE; draw += 1) {
      this.#uint32();
    }
  }

  uniform(): number {
    const high = this.#uint32() >>> 5;
    const low = this.#uint32() >>> 6;
    return (high * 2 ** 26 + low) / 2 ** 53;
  }

  uint64(): bigint {
    const high = this.#uint32();
    return (BigInt(high) << 32n) | BigInt(this.#uint32());
  }

  #uint32(): number {
    const result = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + result) | 0;
    return result >>> 0;
  }
}
