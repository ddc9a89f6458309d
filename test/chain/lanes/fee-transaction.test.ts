import { encodeRlp as ethersRlp, Transaction } from "ethers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signTransaction } from "#chain/fee-transaction.js";
import { encodeRlp, type RlpItem } from "#chain/rlp.js";
import { bytesToHex } from "#core/hex.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex } from "#core/units.js";

const hex = (minLength: number, maxLength: number) =>
  fc.uint8Array({ minLength, maxLength }).map(bytesToHex);
const keys = fc
  .bigInt({ min: 1n, max: 2n ** 255n })
  .map((key): Hex => `0x${key.toString(16).padStart(64, "0")}`);
const amounts = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 2n ** 96n }));

describe("a signed transaction", () => {
  it("is decoded by another implementation to the same content, sender and hash", () => {
    fc.assert(
      fc.property(
        keys,
        fc.record({
          chainId: fc.integer({ min: 1, max: 2 ** 40 }),
          nonce: fc.nat(100_000),
          tipWei: amounts,
          extraWei: amounts,
          gasLimit: fc.bigInt({ min: 21_000n, max: 30_000_000n }),
          to: hex(20, 20),
          valueWei: amounts,
          data: hex(0, 300),
        }),
        (key, { extraWei, ...fields }) => {
          const signer = ecdsaScheme.signer(key);
          const maxFeeWei = fields.tipWei + extraWei;
          const { raw, hash } = signTransaction({ ...fields, maxFeeWei }, signer);
          const read = Transaction.from(raw);
          expect([read.from, read.hash, read.type, read.nonce]).toEqual([
            signer.address,
            hash,
            2,
            fields.nonce,
          ]);
          expect([read.chainId, read.gasLimit, read.value]).toEqual([
            BigInt(fields.chainId),
            fields.gasLimit,
            fields.valueWei,
          ]);
          expect([read.maxFeePerGas, read.maxPriorityFeePerGas]).toEqual([
            maxFeeWei,
            fields.tipWei,
          ]);
          expect([read.to?.toLowerCase(), read.data, read.accessList]).toEqual([
            fields.to,
            fields.data,
            [],
          ]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("the encoding", () => {
  it("is that of another implementation for bytes and lists of any depth and length", () => {
    const { item } = fc.letrec<{ item: RlpItem }>((tie) => ({
      item: fc.oneof(
        { maxDepth: 4 },
        hex(0, 70),
        hex(1, 1),
        fc.array(tie("item"), { maxLength: 5 }),
      ),
    }));
    fc.assert(
      fc.property(
        item,
        (value) => void expect(bytesToHex(encodeRlp(value))).toBe(ethersRlp(value as string)),
      ),
    );
  });

  it("writes numbers without leading zeros, and no negative ones", () => {
    expect([0n, 1n, 127n, 128n, 1024n].map((value) => bytesToHex(encodeRlp(value)))).toEqual([
      "0x80",
      "0x01",
      "0x7f",
      "0x8180",
      "0x820400",
    ]);
    expect(() => encodeRlp(-1n)).toThrow(RangeError);
  });
});
