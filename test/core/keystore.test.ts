import { decryptKeystoreJsonSync, encryptKeystoreJsonSync, Wallet } from "ethers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError, RunError } from "#core/errors.js";
import { decryptKeystore, encryptKeystore, keystoreAddress, randomKey } from "#core/keystore.js";
import { seededRandom } from "#core/seeded-random.js";

const KEY = `0x${"1f".repeat(32)}`;
const { address } = new Wallet(KEY);
const cheap = { random: seededRandom(7), scryptN: 2 };
const locked = encryptKeystore({ privateKey: KEY, password: "open sesame", ...cheap });
type Fields = {
  address?: string;
  Crypto: { ciphertext: string; kdfparams: { n: number } };
  version: number;
};
const changed = (change: (fields: Fields) => void): string => {
  const fields = JSON.parse(locked) as Fields;
  change(fields);
  return JSON.stringify(fields);
};
const failureOf = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("it was taken");
};

describe("a keystore", () => {
  it("gives back the key that went in, whatever key and password, here and in any wallet", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 2n ** 255n }),
        fc.string({ unit: "grapheme", minLength: 1 }),
        (scalar, password) => {
          const privateKey = `0x${scalar.toString(16).padStart(64, "0")}`;
          const json = encryptKeystore({ privateKey, password, ...cheap });
          expect(decryptKeystore(json, password)).toBe(privateKey);
          expect(decryptKeystoreJsonSync(json, password).privateKey).toBe(privateKey);
          expect(keystoreAddress(json)).toBe(new Wallet(privateKey).address);
          expect(json).not.toContain(privateKey.slice(2));
        },
      ),
      { numRuns: 20 },
    );
  });

  it("that another wallet made opens here", () => {
    const json = encryptKeystoreJsonSync({ address, privateKey: KEY }, "theirs", {
      scrypt: { N: 2, r: 8, p: 1 },
    });
    expect(decryptKeystore(json, "theirs")).toBe(KEY);
  });

  it("costs an attacker as much per guess as a wallet's by default", () => {
    const { Crypto } = JSON.parse(
      encryptKeystore({ privateKey: KEY, password: "p", random: seededRandom(1) }),
    ) as Fields;
    expect(Crypto.kdfparams).toMatchObject({ n: 131_072, r: 8, p: 1 });
  });

  it("is never twice the same, though key and password are", () => {
    expect(encryptKeystore({ privateKey: KEY, password: "open sesame", ...cheap })).not.toBe(
      locked,
    );
    expect(randomKey(seededRandom(1))).not.toBe(randomKey(seededRandom(2)));
  });

  it("does not open with another password, and the error shows no password", () => {
    const error = failureOf(() => decryptKeystore(locked, "open barley"));
    expect(error).toBeInstanceOf(RunError);
    expect(String(error)).toContain("the password does not open the keystore");
    expect(JSON.stringify([String(error), (error as RunError).cause ?? null])).not.toMatch(
      /barley|1f1f/,
    );
  });

  it.each([
    ["no JSON", "not a keystore", "is not a keystore"],
    ["another version", changed((fields) => (fields.version = 1)), "is not a keystore"],
    ["JSON of something else", "[1]", "is not a keystore"],
    ["nothing locked in it", '{"version":3}', "missing or wrong"],
    [
      "a cost that would take the machine's memory",
      changed((fields) => (fields.Crypto.kdfparams.n = 2 ** 30)),
      "too much memory",
    ],
    [
      "the address of somebody else",
      changed((fields) => (fields.address = "00".repeat(20))),
      "does not belong to its address",
    ],
  ])("that is none is refused: %s", (_name, json, words) => {
    const error = failureOf(() => decryptKeystore(json, "open sesame"));
    expect(error).toBeInstanceOf(FormatError);
    expect(String(error)).toContain(words);
    expect(String(error)).not.toMatch(/sesame|1f1f/);
  });

  it("without its address is asked for it", () => {
    expect(
      failureOf(() => keystoreAddress(changed((fields) => delete fields.address))),
    ).toBeInstanceOf(FormatError);
  });

  it("rejects an invalid key", () => {
    expect(
      failureOf(() =>
        encryptKeystore({ privateKey: `0x${"00".repeat(32)}`, password: "p", ...cheap }),
      ),
    ).toBeInstanceOf(FormatError);
  });
});
