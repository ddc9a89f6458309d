import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AccountUpdater } from "#account/account-updater.js";
import { Instrument } from "#core/instrument.js";
import type { MarketId, Side } from "#core/units.js";
import {
  INSTRUMENT,
  MARKET,
  TAG,
  venueBalances,
  venuePosition,
  venueTrade,
} from "./exchange-story.js";

const OTHER: MarketId = "ethusdc";
const INSTRUMENTS = new Map([
  [MARKET, INSTRUMENT],
  [
    OTHER,
    new Instrument({
      marketId: OTHER,
      tickSize: "0.1",
      stepSize: "0.001",
      creditDecimals: 6,
      paperDecimals: 18,
    }),
  ],
]);
const MARKETS = [MARKET, OTHER, "dogeusdc"] as const;
const SIDES: readonly Side[] = ["BUY", "SELL"];

/** Events that can move the net value of an account, and events that cannot. */
type Step = (intake: AccountUpdater) => unknown;

const marketId = fc.constantFrom(...MARKETS);
const lots = fc.integer({ min: -50, max: 50 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.tuple(marketId, fc.integer({ min: 1, max: 9 })).map(
      ([id, quote]): Step =>
        (intake) =>
          intake.netValue.mark(id, BigInt(quote) * 10_000_000_000n, 1),
    ),
    fc.integer({ min: 1, max: 9 }).map(
      (quote): Step =>
        (intake) =>
          intake.applyAccount(venueBalances(BigInt(quote) * 10n ** 9n), [], "stream", 1),
    ),
    fc
      .tuple(fc.constantFrom(MARKET, OTHER), fc.nat(9), fc.constantFrom(...SIDES), fc.boolean())
      .map(
        ([id, number, side, isFailed]): Step =>
          (intake) => {
            const status = isFailed ? "FAILED" : "CREATED";
            return intake.applyTrade(
              venueTrade(number, side, 10 + number, { marketId: id, status }),
              "stream",
              1,
            );
          },
      ),
    fc.tuple(marketId, lots).map(
      ([id, held]): Step =>
        (intake) =>
          intake.setBase(id, held, 1, 7n),
    ),
    fc.tuple(marketId, lots).map(
      ([id, held]): Step =>
        (intake) =>
          intake.correctPosition(id, held, 1),
    ),
    fc.tuple(marketId, lots).map(
      ([id, taken]): Step =>
        (intake) =>
          intake.applyLiquidation(id, taken, 1),
    ),
    fc.tuple(marketId, fc.bigInt({ min: -9n, max: 9n })).map(
      ([id, rest]): Step =>
        (intake) =>
          intake.setSubLotBalance(id, rest * 10n ** 14n),
    ),
    fc.tuple(fc.constantFrom(MARKET, OTHER), fc.nat(3), lots).map(
      ([id, number, taken]): Step =>
        (intake) =>
          intake.acquireTakeover(
            { id: `t${number}`, marketId: id, lots: taken, credit: 5n, atMs: 1 },
            1,
          ),
    ),
  ),
  { minLength: 1, maxLength: 14 },
);

function told(taken: readonly Step[]): AccountUpdater {
  const intake = new AccountUpdater({
    instruments: INSTRUMENTS,
    nonceTag: TAG,
    finalOrderRetentionMs: 1000,
    streamLagMs: 1000,
  });
  for (const step of taken) step(intake);
  return intake;
}

/**
 * An account whose marks have moved since the last report of its net value: then every position
 * makes a difference.
 */
const OPENING: readonly Step[] = [
  (intake) => intake.applyAccount(venueBalances(1_000_000_000n), [], "stream", 1),
  (intake) => intake.setBase(MARKET, 10, 1),
  (intake) => intake.setBase(OTHER, -5, 1),
  (intake) => intake.applyTrade(venueTrade(1, "SELL", 3), "stream", 1),
  ...[60_000_000_000n, 67_000_000_000n].flatMap((mark) =>
    [MARKET, OTHER].map(
      (id): Step =>
        (intake) =>
          intake.netValue.mark(id, mark, 1),
    ),
  ),
];

describe("the net value that a bot measures its drawdown by", () => {
  // The value is cached between two reads. A stale cache would hide a loss from the drawdown's
  // limit.
  it("is the same whether it was read after every change or never before", () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const asked = told([]);
        const all = [...OPENING, ...taken];
        for (const [at, step] of all.entries()) {
          step(asked);
          expect(asked.netValue.now).toBe(told(all.slice(0, at + 1)).netValue.now);
          expect(asked.netValue.now).toBe(asked.netValue.now);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("moves with each mark, fill and correction (otherwise the property would prove nothing)", () => {
    const intake = told([]);
    expect(intake.netValue.now).toBeUndefined();
    const values: (bigint | undefined)[] = [];
    const tell = (step: Step): void => {
      step(intake);
      values.push(intake.netValue.now);
    };
    tell((one) => one.applyAccount(venueBalances(1_000_000_000n), [], "stream", 1));
    tell((one) => one.setBase(MARKET, 10, 1));
    tell((one) => one.netValue.mark(MARKET, 60_000_000_000n, 1));
    tell((one) => one.netValue.mark(MARKET, 60_100_000_000n, 1));
    tell((one) => one.applyTrade(venueTrade(1, "BUY", 10), "stream", 1));
    tell((one) => one.correctPosition(MARKET, 0, 1));
    expect(values).toEqual([
      1_000_000_000n,
      1_000_000_000n,
      1_000_000_000n,
      1_001_000_000n,
      1_002_000_000n,
      1_000_000_000n,
    ]);
  });
});

/** Quote units as the contract counts them. */
const QUOTE = 1_000_000n;

/** The value of a base unit, as marks report it. */
const marked = (quote: number): bigint => BigInt(Math.round(quote * 1e6));

/** The exchange's report of an account with this credit and positions, at its own marks. */
function valued(
  intake: AccountUpdater,
  credit: bigint,
  held: readonly (readonly [MarketId, lots: number, mark: number])[],
  nowMs: number,
): bigint {
  const values = held.map(([id, count, mark]) => {
    const { paperPerLot } = INSTRUMENTS.get(id) as Instrument;
    return (BigInt(count) * paperPerLot * marked(mark)) / 10n ** 18n;
  });
  const netValue = values.reduce((sum, value) => sum + value, credit);
  const exposure = values.reduce((sum, value) => sum + (value < 0n ? -value : value), 0n);
  const positions = held.map(([id, count]) => venuePosition(count, id));
  intake.applyAccount({ ...venueBalances(netValue), exposure }, positions, "stream", nowMs);
  return netValue;
}

// A fill and a jump of the mark come at the same time, by separate messages. Otherwise the drawdown
// would be wrong by the position times the jump.
describe("a net value and marks that arrive separately", () => {
  it("moves by a mark that was received before the balances and is newer than they are", () => {
    const intake = told([
      (one) => one.setBase(MARKET, 3, 1),
      (one) => one.netValue.mark(MARKET, marked(60_000), 1_000),
    ]);
    intake.netValue.mark(MARKET, marked(60_500), 2_000);
    const netValue = valued(intake, 1_000n * QUOTE, [[MARKET, 3, 60_000]], 2_040);
    expect(intake.netValue.now).toBe(netValue + (3n * 500n * QUOTE) / 1000n);
  });

  it("does not move twice by a mark that it already includes and that arrives after it", () => {
    const intake = told([
      (one) => one.setBase(MARKET, -3, 1),
      (one) => one.netValue.mark(MARKET, marked(60_000), 1_000),
    ]);
    const netValue = valued(intake, 1_000n * QUOTE, [[MARKET, -3, 60_500]], 1_980);
    expect(intake.netValue.now).toBe(netValue);
    intake.netValue.mark(MARKET, marked(60_500), 2_000);
    expect(intake.netValue.now).toBe(netValue);
    intake.netValue.mark(MARKET, marked(60_600), 3_000);
    expect(intake.netValue.now).toBe(netValue - (3n * 100n * QUOTE) / 1000n);
  });

  it("counts from the marks at its arrival if no received marks give the reported exposure", () => {
    const intake = told([
      (one) => one.setBase(MARKET, 3, 1),
      (one) => one.netValue.mark(MARKET, marked(60_000), 1_000),
    ]);
    intake.applyAccount(
      { ...venueBalances(5_000n * QUOTE), exposure: 77n },
      [venuePosition(3)],
      "stream",
      1_500,
    );
    intake.netValue.mark(MARKET, marked(60_100), 2_000);
    expect(intake.netValue.now).toBe(5_000n * QUOTE + (3n * 100n * QUOTE) / 1000n);
    // The balances were not computed with a mark that arrives long after them.
    const late = told([
      (one) => one.setBase(MARKET, 3, 1),
      (one) => one.netValue.mark(MARKET, marked(60_000), 1_000),
    ]);
    const netValue = valued(late, 1_000n * QUOTE, [[MARKET, 3, 60_200]], 1_500);
    late.netValue.mark(MARKET, marked(60_200), 6_501);
    expect(late.netValue.now).toBe(netValue + (3n * 200n * QUOTE) / 1000n);
  });

  it("does not use marks that were never current together, even if they give the same exposure", () => {
    const intake = told([(one) => one.setBase(MARKET, 2, 1), (one) => one.setBase(OTHER, -1, 1)]);
    intake.netValue.mark(OTHER, marked(59_278.3), 1_000);
    intake.netValue.mark(MARKET, marked(59_000), 1_301);
    intake.netValue.mark(OTHER, marked(59_000), 2_000);
    intake.netValue.mark(MARKET, marked(59_388.2), 2_301);
    intake.netValue.mark(MARKET, marked(59_000), 3_301);
    intake.netValue.mark(OTHER, marked(60_054.5), 4_000);
    // 2 * 59000.1 + 60054.5 is 2 * 59388.2 + 59278.3.
    const netValue = valued(
      intake,
      1_000n * QUOTE,
      [
        [MARKET, 2, 59_000.1],
        [OTHER, -1, 60_054.5],
      ],
      4_300,
    );
    intake.netValue.mark(MARKET, marked(59_000.1), 4_301);
    expect(intake.netValue.now).toBe(netValue);
  });

  const mark = fc.integer({ min: 590_000, max: 610_000 }).map((tenths) => tenths / 10);
  const apart = fc.integer({ min: 0, max: 900 });
  const held = fc.integer({ min: -80, max: 80 });

  it("uses the newest marks, in whatever order the messages of two markets arrive", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(mark, mark), {
          minLength: 2,
          maxLength: 12,
          selector: (pair) => pair.join(),
        }),
        apart,
        apart,
        apart,
        fc.tuple(held, held),
        (marks, firstLateMs, secondLateMs, toldLateMs, [one, other]) => {
          const intake = told([
            (all) => all.setBase(MARKET, one, 1),
            (all) => all.setBase(OTHER, other, 1),
          ]);
          const credit = 7_777n * QUOTE;
          const arrivals = marks.flatMap(([first, second], second_) => {
            const atMs = 1_000 * (second_ + 1);
            return [
              {
                atMs: atMs + firstLateMs,
                take: (nowMs: number) => intake.netValue.mark(MARKET, marked(first), nowMs),
              },
              {
                atMs: atMs + secondLateMs,
                take: (nowMs: number) => intake.netValue.mark(OTHER, marked(second), nowMs),
              },
              {
                atMs: atMs + 300 + toldLateMs,
                take: (nowMs: number) =>
                  valued(
                    intake,
                    credit,
                    [
                      [MARKET, one, first],
                      [OTHER, other, second],
                    ],
                    nowMs,
                  ),
              },
            ];
          });
          for (const { atMs, take } of arrivals.sort((a, b) => a.atMs - b.atMs)) take(atMs);
          const [first, second] = marks.at(-1) as readonly [number, number];
          const values = [
            [one, first],
            [other, second],
          ].map(
            ([count, price]) =>
              (BigInt(count as number) * 10n ** 15n * marked(price as number)) / 10n ** 18n,
          );
          // Two marks that give the same exposure to a unit or two are the same to the net value.
          const off =
            (intake.netValue.now as bigint) - values.reduce((sum, value) => sum + value, credit);
          expect(off < 0n ? -off : off).toBeLessThanOrEqual(4n);
        },
      ),
      { numRuns: 200 },
    );
  });
});
