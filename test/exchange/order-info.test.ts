import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import {
  createTaggedNonce,
  decodeInfo,
  encodeInfo,
  readInfoTag,
  readNonceTag,
} from "#exchange/order-info.js";

const INFO1 = "0xffffa50cef85c000000110d9316ec000000000007a432b800000000000000001";
const INFO2 = "0x00005af3107a40000001c6bf52634000000000006553ff10ffffffffffffffff";

describe("the info of an order", () => {
  it("carries a maker rebate as a negative rate, as the contracts read it", () => {
    expect(
      encodeInfo({
        makerFeeRate: -(10n ** 14n),
        takerFeeRate: 3n * 10n ** 14n,
        expirationSeconds: 2051222400,
        nonce: 1n,
      }),
    ).toBe(INFO1);
    expect(decodeInfo(INFO1)).toEqual({
      makerFeeRate: -(10n ** 14n),
      takerFeeRate: 3n * 10n ** 14n,
      expirationSeconds: 2051222400,
      nonce: 1n,
    });
    expect(decodeInfo(INFO2)).toEqual({
      makerFeeRate: 10n ** 14n,
      takerFeeRate: 5n * 10n ** 14n,
      expirationSeconds: 1700003600,
      nonce: 2n ** 64n - 1n,
    });
  });

  it("reads back what it wrote, over the whole range", () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const infos = fc.record(
      {
        makerFeeRate: int64,
        takerFeeRate: int64,
        expirationSeconds: fc.maxSafeNat(),
        nonce: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(infos, (info) => {
        expect(decodeInfo(encodeInfo(info))).toEqual(info);
      }),
    );
  });

  it.each([
    ["a rate past 64 bits", { makerFeeRate: 2n ** 63n }],
    ["a negative nonce", { nonce: -1n }],
    ["a nonce past 64 bits", { nonce: 2n ** 64n }],
    ["half a second", { expirationSeconds: 1.5 }],
  ])("refuses %s", (_, change) => {
    expect(() =>
      encodeInfo({
        makerFeeRate: 0n,
        takerFeeRate: 0n,
        expirationSeconds: 1,
        nonce: 0n,
        ...change,
      }),
    ).toThrow(/expected/);
  });

  it.each(["0x", "0x00", `${INFO1}00`, INFO1.slice(2), `0x${"f".repeat(64)}`])(
    "refuses to read %s",
    (text) => {
      expect(() => decodeInfo(text)).toThrow();
    },
  );
});

describe("the bot's tag", () => {
  it("is found again in every order that the bot made, and in no other's", () => {
    const random = seededRandom("nonces");
    for (let draw = 0; draw < 100; draw += 1) {
      const nonce = createTaggedNonce(0xbeef, random);
      expect(readNonceTag(nonce)).toBe(0xbeef);
      expect(
        readInfoTag(
          encodeInfo({ makerFeeRate: 0n, takerFeeRate: 0n, expirationSeconds: 1, nonce }),
        ),
      ).toBe(0xbeef);
    }
    expect(readInfoTag(INFO1)).toBe(0);
    expect(readInfoTag("0xnonsense")).toBeUndefined();
  });

  it("leaves 48 bits to chance, so that no two orders hash alike", () => {
    const random = seededRandom("nonces");
    expect(new Set(Array.from({ length: 1000 }, () => createTaggedNonce(1, random))).size).toBe(
      1000,
    );
    expect(() => createTaggedNonce(0x10000, random)).toThrow(/16 bits/);
  });
});
