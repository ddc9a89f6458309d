import {
  computeAddress,
  keccak256 as ethersKeccak,
  getAddress,
  recoverAddress,
  Signature,
  SigningKey,
} from "ethers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checksumAddress, lowerCaseAddress } from "#core/address.js";
import { loadNativeBackend, nobleBackend } from "#core/ecdsa-backend.js";
import { bytesToHex, hexToBytes } from "#core/hex.js";
import { keccak256 } from "#core/keccak.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme, ecdsaSchemeOn, initCrypto, nativeBindingError } from "#core/signing.js";
import type { Hex } from "#core/units.js";

const GROUP_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const native = loadNativeBackend();

function seededBytes(label: string): Uint8Array {
  const random = seededRandom(label);
  const bytes = new Uint8Array(32);
  const view = new DataView(bytes.buffer);
  for (let word = 0; word < 4; word += 1) {
    view.setBigUint64(8 * word, random.uint64());
  }
  return bytes;
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, "0");
}

describe("hex", () => {
  it("turns bytes into lower-case hex and back, whatever slice of a buffer they are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(5), (bytes, offset) => {
        const inside = new Uint8Array(bytes.length + offset + 3);
        inside.set(bytes, offset);
        const hex = bytesToHex(inside.subarray(offset, offset + bytes.length));
        expect(hex).toBe(
          `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`,
        );
        expect(hexToBytes(hex)).toEqual(bytes);
        expect(hexToBytes(`0x${hex.slice(2).toUpperCase()}`)).toEqual(bytes);
      }),
    );
  });

  it("refuses what is no hex, and keeps what might be a key out of the error", () => {
    for (const wrong of [
      "",
      "0",
      "x",
      "ab",
      "0x1",
      "0xzz",
      "0x12g4",
      "0x 12",
      "0X12",
      "0x12\n1",
      "0xé1",
    ]) {
      expect(() => hexToBytes(wrong, "secret")).toThrow("secret");
    }
    expect(() => hexToBytes("0xdeadbeefz0")).toThrow(/^((?!deadbeef).)*$/s);
  });
});

describe("keccak", () => {
  it("is Ethereum's hash before and after the fast backend is compiled", async () => {
    const samples = Array.from({ length: 300 }, (_, length) => new Uint8Array(length).fill(length));
    const before = samples.map((bytes) => bytesToHex(keccak256(bytes)));
    expect((await initCrypto()).keccak).toBe("hash-wasm");
    const after = samples.map((bytes) => bytesToHex(keccak256(bytes)));
    const reference = samples.map((bytes) => ethersKeccak(bytes));
    expect(before).toEqual(reference);
    expect(after).toEqual(reference);
  });

  it("hands out bytes that a later hash does not overwrite", () => {
    const first = keccak256(new Uint8Array([1]));
    const copy = Uint8Array.from(first);
    keccak256(new Uint8Array([2]));
    expect(first).toEqual(copy);
  });
});

describe("addresses", () => {
  it("carry the checksum of EIP-55, as in its own examples and in ethers", () => {
    for (const published of [
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
      "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
      "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    ]) {
      expect(checksumAddress(published.toLowerCase())).toBe(published);
      expect(lowerCaseAddress(published)).toBe(published.toLowerCase());
    }
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
        expect(checksumAddress(bytesToHex(bytes))).toBe(getAddress(bytesToHex(bytes)));
      }),
    );
  });

  it("are refused when they are none", () => {
    expect(() => checksumAddress("0x12")).toThrow("not an address");
    expect(() =>
      lowerCaseAddress("5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed00", "account.address"),
    ).toThrow("account.address");
  });
});

describe("signing", () => {
  it("runs on the native binding here, or says why it does not", async () => {
    const { signing } = await initCrypto();
    expect(signing).toBe(nativeBindingError() === undefined ? "native" : "noble");
    expect(ecdsaScheme.name).toContain(signing);
  });

  const schemes = [
    ecdsaSchemeOn(nobleBackend),
    ...("unavailable" in native ? [] : [ecdsaSchemeOn(native)]),
  ];

  it.each(schemes)("$name gives the bytes that ethers gives, and its own signer back", (scheme) => {
    for (let sample = 0; sample < 60; sample += 1) {
      const key = bytesToHex(seededBytes(`key ${sample}`));
      const digest = seededBytes(`digest ${sample}`);
      const signer = scheme.signer(key);
      const signature = signer.sign(digest);
      expect(signature).toBe(new SigningKey(key).sign(digest).serialized);
      expect(signer.address).toBe(computeAddress(key));
      expect(scheme.recover(digest, signature)).toBe(signer.address.toLowerCase());
      expect(recoverAddress(digest, signature)).toBe(signer.address);
    }
  });

  it.each(schemes)("$name signs the digests at the ends of the range", (scheme) => {
    for (const digest of [
      new Uint8Array(32),
      new Uint8Array(32).fill(255),
      hexToBytes(`0x${word(GROUP_ORDER)}`),
    ]) {
      const key = `0x${word(GROUP_ORDER - 1n)}`;
      const signature = scheme.signer(key).sign(digest);
      expect(signature).toBe(new SigningKey(key).sign(digest).serialized);
      expect(scheme.recover(digest, signature)).toBe(computeAddress(key).toLowerCase());
    }
  });

  it.each(schemes)("$name takes v as 0, 1, 27 or 28, and nothing else", (scheme) => {
    const signer = scheme.signer(bytesToHex(seededBytes("v")));
    const digest = seededBytes("message");
    const signature = signer.sign(digest);
    const v = Number.parseInt(signature.slice(130), 16);
    const withV = (byte: number): Hex =>
      signature.slice(0, 130) + byte.toString(16).padStart(2, "0");
    expect([27, 28]).toContain(v);
    expect(scheme.recover(digest, withV(v - 27))).toBe(signer.address.toLowerCase());
    for (const wrong of [2, 3, 26, 29, 30, 31, 255]) {
      expect(scheme.recover(digest, withV(wrong))).toBeNull();
    }
  });

  it.each(schemes)("$name refuses the malleable twin of a signature, as contracts do", (scheme) => {
    const digest = seededBytes("twin");
    const { r, s, yParity } = Signature.from(
      scheme.signer(bytesToHex(seededBytes("twin key"))).sign(digest),
    );
    const twin = `${r}${word(GROUP_ORDER - BigInt(s))}${yParity === 0 ? "1c" : "1b"}`;
    expect(scheme.recover(digest, twin)).toBeNull();
  });

  it.each(schemes)("$name recovers no address from an invalid signature", (scheme) => {
    const digest = seededBytes("nobody");
    const one = word(1n);
    for (const wrong of [
      "",
      "0x",
      "0x00",
      `0x${"zz".repeat(65)}`,
      `0x${"ff".repeat(65)}`,
      `0x${word(0n)}${one}1b`,
      `0x${one}${word(0n)}1b`,
      `0x${word(GROUP_ORDER)}${one}1b`,
      // No point of the curve has x = 5.
      `0x${word(5n)}${one}1b`,
    ]) {
      expect(scheme.recover(digest, wrong)).toBeNull();
    }
    expect(scheme.recover(new Uint8Array(31), scheme.signer(`0x${one}`).sign(digest))).toBeNull();
  });

  it("recovers the same signer, or none, from any bytes on both backends", () => {
    const [noble, other = noble] = schemes;
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 64, maxLength: 64 }),
        fc.constantFrom("1b", "1c"),
        (bytes, v) => {
          const signature = bytesToHex(bytes) + v;
          const digest = seededBytes("any");
          expect(other?.recover(digest, signature)).toBe(noble?.recover(digest, signature));
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each(schemes)("$name rejects an invalid key or digest, without showing the key", (scheme) => {
    for (const wrong of [
      "",
      "0x",
      `0x${word(0n)}`,
      `0x${word(GROUP_ORDER)}`,
      `0x${word(7n)}00`,
      word(7n),
      `0x${"q".repeat(64)}`,
    ]) {
      expect(() => scheme.signer(wrong)).toThrow(/^privateKey: not (a private key|hex bytes);/);
    }
    expect(() => scheme.signer(`0x${word(7n)}`).sign(new Uint8Array(31))).toThrow("digest");
  });
});
