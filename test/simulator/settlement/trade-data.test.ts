import { AbiCoder, Interface } from "ethers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { perpetualAbi } from "#chain/perpetual.generated.js";
import { type MatchedOrder, tradeCall } from "#simulator/trade-data.js";
import { makersInTransaction, tradeGas } from "#simulator/trade-gas.js";

const PERPETUAL = new Interface(perpetualAbi);

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value) => `0x${Buffer.from(value).toString("hex")}`);
const int128 = fc.bigInt({ min: -(1n << 127n), max: (1n << 127n) - 1n });
const matched: fc.Arbitrary<MatchedOrder> = fc.record({
  order: fc.record({
    perp: hex(20),
    signer: hex(20),
    paper: int128,
    credit: int128,
    info: hex(32),
    signature: hex(65),
  }),
  paper: fc.bigInt({ min: 1n, max: (1n << 127n) - 1n }),
});

/** The same by the encoder of ethers. */
function byEthers(orders: readonly MatchedOrder[]): string {
  const data = AbiCoder.defaultAbiCoder().encode(
    ["tuple(address,address,int128,int128,bytes32)[]", "bytes[]", "uint256[]"],
    [
      orders.map(({ order: { perp, signer, paper, credit, info } }) => [
        perp,
        signer,
        paper,
        credit,
        info,
      ]),
      orders.map(({ order }) => order.signature),
      orders.map(({ paper }) => paper),
    ],
  );
  return PERPETUAL.encodeFunctionData("trade", [data]);
}

describe("the data of a trade's transaction", () => {
  it("follows the contract's interface, the taker first and the makers by ascending signer", () => {
    fc.assert(
      fc.property(matched, fc.array(matched, { minLength: 1, maxLength: 8 }), (taker, makers) => {
        const sorted = [...makers].sort((a, b) =>
          BigInt(a.order.signer) < BigInt(b.order.signer) ? -1 : 1,
        );
        expect(tradeCall(taker, makers)).toBe(byEthers([taker, ...sorted]));
      }),
      { numRuns: 40 },
    );
  });

  it("does not depend on how addresses are spelled", () => {
    const order = (signer: string): MatchedOrder => ({
      order: {
        perp: signer,
        signer,
        paper: 1n,
        credit: -1n,
        info: `0x${"0".repeat(64)}`,
        signature: `0x${"1".repeat(130)}`,
      },
      paper: 1n,
    });
    const [a, b] = [
      "0x00000000000000000000000000000000000000aB",
      "0x00000000000000000000000000000000000000Ac",
    ];
    expect(tradeCall(order(a), [order(b), order(a)])).toBe(
      tradeCall(order(a.toLowerCase()), [order(a), order(b.toLowerCase())]),
    );
  });
});

describe("the makers of one transaction", () => {
  it("fit the block, and are at least one", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10_000_000, max: 1_000_000_000 }),
        fc.integer({ min: 1, max: 100 }),
        (blockGasLimit, maxPositions) => {
          const terms = { blockGasLimit, maxPositions };
          const most = makersInTransaction(terms);
          expect(most).toBeGreaterThanOrEqual(1);
          expect(tradeGas(most, terms)).toBeLessThanOrEqual(blockGasLimit);
        },
      ),
    );
  });
});
