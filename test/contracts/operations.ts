import fc from "fast-check";
import { COIN } from "./world.js";

// The operations that may happen. Indices are taken modulo the number of items; shares are
// thousandths; sizes are coins of the first market, and as much money in the others.
const index = fc.nat({ max: 11 });
/** Two markets that everybody trades, and a third that is one too many for most. */
const market = fc.constantFrom(0, 0, 0, 0, 1, 1, 1, 1, 2);
const rate = fc
  .integer({ min: -300, max: 600 })
  .map((millionths) => BigInt(millionths) * 10n ** 12n);
const size = fc.bigInt({ min: 1n, max: COIN });
const side = fc.record({
  trader: index,
  size,
  priceBps: fc.integer({ min: -150, max: 250 }),
  rate,
});
/** One thing that happens. */
export const operation = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      type: fc.constant("trade" as const),
      market,
      isLong: fc.boolean(),
      taker: side,
      makers: fc.array(side, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("liquidate" as const),
      market,
      victim: index,
      by: fc.constantFrom(0, 1, 2, 3, 3, 3),
      share: fc.integer({ min: -20, max: 1500 }),
      slack: fc.integer({ min: -1, max: 40 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("price" as const),
      market,
      share: fc.integer({ min: 720, max: 1380 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("funding" as const),
      market,
      share: fc.integer({ min: -20, max: 20 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("withdraw" as const),
      trader: index,
      to: index,
      share: fc.integer({ min: 1, max: 1100 }),
      secondary: fc.integer({ min: 0, max: 1001 }),
      isInternal: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("deposit" as const),
      trader: index,
      primary: fc.nat({ max: 3_000 }),
      secondary: fc.nat({ max: 500 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("handleBadDebt" as const), trader: index }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("stale" as const), market }) },
);
export type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;
