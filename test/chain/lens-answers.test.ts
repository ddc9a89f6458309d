import { Interface } from "ethers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeWord } from "#chain/abi-reader.js";
import { dealerLensAbi } from "#chain/dealer-lens.generated.js";
import { decodeCosts, decodeHoldings, decodeMarkets, decodeRisks } from "#chain/lens-results.js";
import { classifyRevertData } from "#chain/revert.js";
import { FormatError } from "#core/errors.js";

const lens = new Interface(dealerLensAbi);
const int = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n });
const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const bytes = fc
  .uint8Array({ maxLength: 70 })
  .map((held) => `0x${Buffer.from(held).toString("hex")}`);
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((held) => `0x${Buffer.from(held).toString("hex")}`);
const block = { blockNumber: fc.nat(), seconds: fc.nat() };
const price = { priceOk: fc.boolean(), markPrice: uint, priceReason: bytes };
const priceOf = (held: { priceOk: boolean; markPrice: bigint; priceReason: string }) =>
  held.priceOk
    ? { ok: true, creditPerCoin: held.markPrice }
    : { ok: false, revert: classifyRevertData(held.priceReason) };

describe("an answer of the lens is read as the general decoder reads it", () => {
  it("risks, without losing a sign or a digit", () => {
    const entry = fc.record({
      ok: fc.boolean(),
      isSafe: fc.boolean(),
      net: int,
      exposure: uint,
      initial: uint,
      maintenance: uint,
      reason: bytes,
    });
    fc.assert(
      fc.property(
        fc.record({ ...block, list: fc.array(entry, { maxLength: 5 }) }),
        ({ blockNumber, seconds, list }) => {
          const rows = list.map((held) => [
            held.ok,
            held.isSafe,
            held.net,
            held.exposure,
            held.initial,
            held.maintenance,
            held.reason,
          ]);
          const read = decodeRisks(
            lens.encodeFunctionResult("risks", [blockNumber, seconds, rows]),
          );
          expect(read).toEqual({
            blockNumber: BigInt(blockNumber),
            timestampMs: seconds * 1000,
            list: list.map((held) =>
              held.ok
                ? {
                    ok: true,
                    isSafe: held.isSafe,
                    netValueCredit: held.net,
                    exposureCredit: held.exposure,
                    initialMarginCredit: held.initial,
                    maintenanceMarginCredit: held.maintenance,
                  }
                : { ok: false, revert: classifyRevertData(held.reason) },
            ),
          });
        },
      ),
    );
  });

  it("holdings, each position beside the others' stale prices", () => {
    const position = fc.record({ perp: address, paper: int, credit: int, ...price });
    const entry = fc.record({
      ok: fc.boolean(),
      primary: int,
      secondary: uint,
      positions: fc.array(position, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 4 }), (list) => {
        const rows = list.map(({ ok, primary, secondary, positions }) => [
          ok,
          primary,
          secondary,
          positions.map((held) => [
            held.perp,
            held.paper,
            held.credit,
            held.priceOk,
            held.markPrice,
            held.priceReason,
          ]),
        ]);
        expect(decodeHoldings(lens.encodeFunctionResult("holdings", [1, 2, rows])).list).toEqual(
          list.map(({ ok, primary, secondary, positions }) =>
            ok
              ? {
                  ok,
                  primaryCredit: primary,
                  secondaryCredit: secondary,
                  positions: positions.map((held) => ({
                    perp: held.perp,
                    paper: held.paper,
                    credit: held.credit,
                    markPrice: priceOf(held),
                  })),
                }
              : { ok, revert: classifyRevertData("0x") },
          ),
        );
      }),
    );
  });

  it("costs and markets", () => {
    const market = fc.record({
      perp: address,
      ratio: uint,
      source: address,
      name: fc.string({ maxLength: 40 }),
      listed: fc.boolean(),
      rate: int,
      ...price,
    });
    fc.assert(
      fc.property(
        fc.array(fc.record({ ok: fc.boolean(), paper: int, credit: int, reason: bytes })),
        fc.array(market, { maxLength: 3 }),
        (costs, markets) => {
          const rows = costs.map(({ ok, paper, credit, reason }) => [ok, paper, credit, reason]);
          expect(decodeCosts(lens.encodeFunctionResult("costs", [1, 2, rows])).list).toEqual(
            costs.map(({ ok, paper, credit, reason }) =>
              ok ? { ok, paper, credit } : { ok, revert: classifyRevertData(reason) },
            ),
          );
          const lines = markets.map((held) => [
            held.perp,
            [held.ratio, 2, 3, 4, held.source, held.name, held.listed],
            held.rate,
            held.priceOk,
            held.markPrice,
            held.priceReason,
          ]);
          expect(decodeMarkets(lens.encodeFunctionResult("markets", [1, 2, lines])).list).toEqual(
            markets.map((held) => ({
              perp: held.perp,
              name: Buffer.from(held.name, "utf8").toString("utf8"),
              initialMarginRatio: held.ratio,
              maintenanceMarginRatio: 2n,
              liquidationPriceOff: 3n,
              insuranceFeeRate: 4n,
              markPriceSource: held.source,
              isRegistered: held.listed,
              fundingRate: held.rate,
              markPrice: priceOf(held),
            })),
          );
        },
      ),
    );
  });

  it("and words are written as the general encoder writes them", () => {
    fc.assert(
      fc.property(
        int,
        (value) =>
          void expect(`0x${encodeWord(value)}`).toBe(
            new Interface(["function f(int256)"])
              .encodeFunctionData("f", [value])
              .replace(/^0x.{8}/, "0x"),
          ),
      ),
    );
    expect(encodeWord("0xABcdefABcdefABcdefABcdefABcdefABcdefABcd")).toBe(
      `${"0".repeat(24)}${"abcdef".repeat(6)}abcd`,
    );
  });

  it("or is refused when it is damaged, and never half believed", () => {
    const row = [true, true, -5, 6, 7, 8, "0x1234"];
    const whole = lens.encodeFunctionResult("risks", [1, 2, [row, [false, ...row.slice(1)]]]);
    fc.assert(
      fc.property(fc.nat({ max: whole.length - 3 }), (length) => {
        expect(() => decodeRisks(whole.slice(0, 2 + length))).toThrow(FormatError);
      }),
      { numRuns: 50 },
    );
    fc.assert(
      fc.property(bytes, (damaged) => {
        try {
          decodeHoldings(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
    );
    // A list of 2^256-1 entries, and an offset beyond the end.
    expect(() =>
      decodeRisks(`0x${encodeWord(1n)}${encodeWord(2n)}${encodeWord(96n)}${"f".repeat(64)}`),
    ).toThrow(FormatError);
    expect(() =>
      decodeRisks(`0x${encodeWord(1n)}${encodeWord(2n)}${encodeWord(9999n)}${encodeWord(0n)}`),
    ).toThrow(FormatError);
  });
});
